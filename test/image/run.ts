// `npm run test:image`: builds the image of compose.yaml with buildah. It starts the programs with the commands and variables of that
// file, on a read-only file system and without root. A job runs, and workers drain. It needs Linux, root, buildah, python3 and PyPI.
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { createClient } from '../../src/client/client.ts';
import { writeImageFolder } from '../../tools/image/image-folder.ts';
import { holds, same } from '../deploy/check.ts';
import { Cleanup } from '../deploy/cleanup.ts';
import { freePort, startEmulator } from '../deploy/emulator/ministack.ts';
import { stopPrograms } from '../deploy/programs.ts';
import { Report } from '../deploy/report.ts';
import { until } from '../support/until.ts';
import { BASE_PATH, writeBaseFolder } from './base-image.ts';
import { createBuildah, hasBuildah, type ImageConfig } from './buildah.ts';
import { type Container, startContainer, USER_ID } from './container.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NAME = 'localhost/punctual:test';
const OWN_BASE = 'localhost/punctual-base:test';
const WAIT = { withinMs: 60_000, everyMs: 200 };

const { values } = parseArgs({
  options: { base: { type: 'string' }, require: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log(`usage: npm run test:image [-- --base <image>] [--require]

Builds the image of the workers, and runs a job with it. Needs Linux, root, buildah, python3 and PyPI.

  --base <image>  the base image, such as docker.io/library/node:24-slim. Default: one that is made of this machine's files
  --require       fail if the image cannot be built here. Default: say so, and end with status 0`);
  process.exit(0);
}
const missing =
  process.platform !== 'linux'
    ? 'this is not Linux'
    : process.getuid?.() !== 0
      ? 'this is not root'
      : hasBuildah()
        ? undefined
        : 'buildah is not installed (Debian, Ubuntu: apt-get install buildah)';
if (missing !== undefined) {
  console.log(`NOT RUN: the image was not built, because ${missing}.`);
  process.exit(values.require ? 1 : 0);
}

interface Service {
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}
const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};

const report = new Report();
const cleanup = new Cleanup();
cleanup.onSignals(stopPrograms);

async function build(): Promise<{ root: string; config: ImageConfig }> {
  const step = report.part('image');
  const buildah = createBuildah(cleanup);
  const context = cleanup.folder('image');
  await step('write the build context', async () => {
    cpSync(join(ROOT, 'Dockerfile'), join(context, 'Dockerfile'));
    await writeImageFolder(join(context, 'app'));
  });
  const base = values.base ?? OWN_BASE;
  if (values.base === undefined) {
    await step("make a base image of this machine's files", async () => {
      const files = cleanup.folder('base');
      writeBaseFolder(files);
      await buildah.importFolder(files, OWN_BASE, { PATH: BASE_PATH });
    });
  }
  await step(`build the Dockerfile on ${base}`, () => buildah.build(context, NAME, base));
  const config = await step('the image has a user, a health check, a volume and a command', async (note) => {
    const found = await buildah.config(NAME);
    same(found.User, 'node', 'the user');
    same(Object.keys(found.Volumes), ['/tmp'], 'the volumes');
    holds(
      found.Healthcheck?.Test.join(' ').includes('PUNCTUAL_ALIVE_FILE'),
      'the health check reads the file',
    );
    note(found.Cmd.join(' '));
    return found;
  });
  return { root: await step('mount its file system', () => buildah.mount(NAME)), config };
}

async function use(root: string, config: ImageConfig): Promise<void> {
  const step = report.part('containers');
  const emulator = await step('start MiniStack', () => startEmulator(cleanup, { enforceIam: false }));
  const port = await freePort();
  const start = (name: string, more: Readonly<Record<string, string>> = {}): Container => {
    const { command, environment } = services[name] ?? { environment: {} };
    const own = Object.entries({ ...environment, ...more }).map(([key, value]) => [
      key,
      value.replace('http://emulator:4566', emulator.endpoint),
    ]);
    return startContainer(root, config, Object.fromEntries(own), cleanup, command);
  };
  const says = (container: Container, text: string) =>
    until(
      `a container says "${text}"`,
      () => {
        if (container.exitCode() !== undefined)
          throw new Error(`it ended with ${container.exitCode()}:\n${container.output()}`);
        return container.output().includes(text);
      },
      { ...WAIT, detail: container.output },
    );

  const api = await step('start the API', async () => {
    const container = start('api', { PUNCTUAL_HOST: '127.0.0.1', PUNCTUAL_PORT: String(port) });
    await says(container, 'The API listens on');
    return container;
  });
  const { workers, others } = await step('start a watcher, a notifier and two workers', async () => {
    const watcher = start('watcher');
    const notifier = start('notifier');
    const both = [start('worker'), start('worker')] as const;
    await says(watcher, 'The watcher has started');
    await says(notifier, 'The notifier waits');
    for (const worker of both) await says(worker, '"worker ready"');
    return { workers: both, others: [watcher, notifier] };
  });
  await step('no container runs as root, or can write outside of /tmp', async () => {
    for (const container of [api, ...others, ...workers]) {
      const status = readFileSync(`/proc/${container.pid}/status`, 'utf8');
      same(/^Uid:\t(\d+)/m.exec(status)?.[1], String(USER_ID), 'the user id of the process');
      const write = (file: string) =>
        container.exec(
          'node',
          '-e',
          `try { fs.writeFileSync('${file}', ''); console.log('written') } catch (e) { console.log(e.code) }`,
        );
      same(await write('/app/x'), 'EROFS', 'a write into /app');
      same(await write('/tmp/x'), 'written', 'a write into /tmp');
    }
  });
  await step('the health check of the image succeeds', async () => {
    const [, ...test] = config.Healthcheck?.Test ?? [];
    await until(
      'the liveness file is there',
      () =>
        workers[0].exec('sh', '-c', test.join(' ')).then(
          () => true,
          () => false,
        ),
      WAIT,
    );
  });
  const client = await step('get a token from the program of the image', async () => {
    const token = await api.exec('node', 'token/index.mjs', 'ann');
    return createClient({ baseUrl: `http://127.0.0.1:${port}`, token, retry: { maxAttempts: 1 } });
  });
  await step('the API serves the console and its own page', async () => {
    for (const [path, text] of [
      ['/console/', '<script'],
      ['/docs', 'swagger-ui'],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      same(response.status, 200, `GET ${path}`);
      holds((await response.text()).includes(text), `${path} contains ${text}`);
    }
  });
  await step('run a job, and one of a schedule', async (note) => {
    const { id } = await client.jobs.create({ task: 'noop', params: { result: 'ran' } });
    const { id: every } = await client.jobs.create({ task: 'noop', schedule: { every: 'PT5S' } });
    const ended = (job: string, count: number) =>
      until(
        `${count} execution(s) of ${job} have succeeded`,
        async () => {
          const { items } = await client.executions.ofJob(job, { status: 'succeeded' }).page();
          return items.length >= count ? items : undefined;
        },
        WAIT,
      );
    same((await ended(id, 1))[0]?.result, 'ran', 'the result');
    const runs = await ended(every, 2);
    await client.jobs.cancel(every);
    note(`at most ${Math.max(...runs.map(({ latenessMs = 0 }) => latenessMs))} ms late`);
  });
  await step('drain both workers by SIGTERM while a job runs', async () => {
    const { id } = await client.jobs.create({ task: 'noop', params: { durationMs: 4000 } });
    const [execution] = await until(
      'the job runs',
      async () => {
        const { items } = await client.executions.ofJob(id, { status: 'running' }).page();
        return items.length > 0 ? items : undefined;
      },
      WAIT,
    );
    same(await Promise.all(workers.map((worker) => worker.stop())), [0, 0], 'the exit codes');
    const after = await client.executions.get(execution?.id ?? '');
    same([after.status, after.attempt], ['succeeded', 1], 'the execution that ran');
  });
  await step('stop the API, the watcher and the notifier by SIGTERM', async () =>
    same(await Promise.all([api, ...others].map((one) => one.stop())), [0, 0, 0], 'the exit codes'),
  );
}

try {
  const { root, config } = await build();
  await use(root, config);
} catch {
  process.exitCode = 1;
} finally {
  await cleanup.run();
  report.print();
}
