// The command of the installed package: a server, jobs, and a custom task.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASSETS } from '../../lib/bundling/entries.ts';
import { type Checks, expect, expectEqual } from './checks.ts';
import { type Consumer, ROOT } from './consumer.ts';
import { olderNode, output, run, start } from './processes.ts';

export interface Server {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** The file that npm links as `punctual`. */
export const commandOf = (consumer: Consumer): string =>
  consumer.file('node_modules/punctual/bin/punctual.js');

export async function startServer(consumer: Consumer): Promise<Server> {
  const data = consumer.file('data');
  const args = [commandOf(consumer), 'start', '--port', '0', '--data', data];
  const { child, ran, ended } = start(process.execPath, args, { cwd: consumer.folder });
  const url = await Promise.race([
    ended.then(({ err, out }) => Promise.reject(new Error(`the server ended: ${err}${out}`))),
    new Promise<string>((resolve) => {
      child.stdout.on('data', () => {
        const found = /listens on (http:\S+)[\s\S]*TOKEN=.+\n/.exec(ran.out)?.[1];
        if (found) resolve(found);
      });
    }),
  ]);
  const token = await output(process.execPath, [commandOf(consumer), 'token', 'me', '--data', data], {
    cwd: consumer.folder,
  });
  return {
    url,
    token: token.trim(),
    async stop() {
      child.kill('SIGTERM');
      const { code, err } = await ended;
      expect(code === 0, () => `the server exited with ${code}: ${err}`);
    },
  };
}

export async function commandChecks(checks: Checks, consumer: Consumer): Promise<void> {
  const { version } = JSON.parse(readFileSync(consumer.file('node_modules/punctual/package.json'), 'utf8'));
  let server: Server | undefined;
  const punctual = (...args: string[]) =>
    run(process.execPath, [commandOf(consumer), ...args], {
      cwd: consumer.folder,
      env: { PUNCTUAL_URL: server?.url ?? '', PUNCTUAL_DATA: consumer.file('data') },
    });

  await checks.run('punctual --version', async () => {
    const { out } = await punctual('--version');
    expectEqual(out.trim(), version);
    return out.trim();
  });
  const old = await olderNode();
  if (old === undefined) console.log('skipped punctual on an older Node: there is none on this machine');
  else
    await checks.run('punctual on an older Node says which versions it needs', async () => {
      const { code, err } = await run(old, [commandOf(consumer), 'start'], { cwd: consumer.folder });
      expect(
        code === 1 && /needs Node 22\.19 .* Node 24 or later; this is v/.test(err),
        () => `${code}: ${err}`,
      );
    });
  await checks.run('punctual start', async () => {
    server = await startServer(consumer);
    return server.url;
  });
  await checks.run('punctual create --wait', async () => {
    const { code, out, err } = await punctual('create', '--task', 'noop', '--name', 'hello', '--wait');
    expect(code === 0 && out.includes('succeeded'), () => `${code}: ${err}${out}`);
  });
  await checks.run('a custom task in TypeScript that throws DoNotRetry is not retried', async () => {
    const args = ['--task', 'picky', '--params', '{"reason":"never"}', '--wait', '--json'];
    const { code, out, err } = await punctual('create', ...args);
    expect(code === 1, () => `${code}: ${err}${out}`);
    const { status, attempt, error } = lastExecution(out);
    expectEqual([status, attempt, error?.message], ['failed', 1, 'never']);
  });
  await checks.run('punctual plan and apply of examples/github-actions', async () => {
    const file = join(ROOT, 'examples/github-actions/jobs.yaml');
    const codes: (number | null)[] = [];
    for (const args of [['plan', '--detailed-exitcode'], ['apply'], ['plan', '--detailed-exitcode']])
      codes.push((await punctual(...args, '-f', file, '--prune')).code);
    // differences, applied, none
    expectEqual(codes, [3, 0, 0]);
  });
  await checks.run('the licence of every package whose files are copied is there', () => {
    const notices = readFileSync(consumer.file('node_modules/punctual/dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of Object.values(ASSETS).map((assets) => assets.package))
      expect(notices.includes(`\n${name} `), () => name);
  });
  await checks.run('the pages of the API have their files', async () => {
    const page = await (await fetch(`${server?.url}/docs`)).text();
    const files = [...page.matchAll(/"(docs\/[^"]+)"/g)].map(([, path]) => path);
    expectEqual(files.length, 3);
    for (const path of files) {
      const { status, headers } = await fetch(`${server?.url}/${path}`, {
        headers: { 'accept-encoding': 'br' },
      });
      expectEqual([status, headers.get('content-encoding'), path], [200, 'br', path]);
    }
  });
  await checks.run('the console is prebuilt, and its link opens it', async () => {
    const link = await punctual('token', 'me', '--link');
    const address = link.out.trim().split('#')[0] ?? '';
    expectEqual(address, `${server?.url}/console/`);
    const page = await fetch(address);
    expectEqual(page.status, 200);
    const assets = [...(await page.text()).matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets.length > 1, () => 'the page refers to no assets');
    for (const accepted of ['br', 'identity']) {
      for (const path of assets) {
        const asset = await fetch(`${server?.url}${path}`, { headers: { 'accept-encoding': accepted } });
        expectEqual([asset.status, (await asset.text()).length > 100, path], [200, true, path]);
      }
    }
    return `${assets.length} assets of the first page`;
  });
  await checks.run('punctual backup of the running server', async () => {
    const { code, out, err } = await punctual('backup', consumer.file('backup.db'));
    expect(code === 0 && /backed up \d+ jobs/.test(out), () => `${code}: ${err}${out}`);
  });
  await checks.run('SIGTERM stops the server with exit code 0', async () => {
    await server?.stop();
  });
  await checks.run('npx punctual runs the installed command', async () => {
    const out = await output('npx', ['--no-install', 'punctual', '--version'], { cwd: consumer.folder });
    expectEqual(out.trim(), version);
  });
}

/** `--json` prints the job and then the execution. */
function lastExecution(out: string): { status?: string; attempt?: number; error?: { message?: string } } {
  const objects = out
    .trim()
    .split(/\n(?=\{)/)
    .map((text) => JSON.parse(text));
  return objects.at(-1);
}
