// `npm start`, run as a user runs it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  client,
  type Folder,
  listeners,
  startLocal,
  startPart,
  startTarget,
  temporaryFolder,
} from '../support/processes.ts';
import { until } from '../support/until.ts';

let target: Awaited<ReturnType<typeof startTarget>>;
let folder: Folder;
const started: { stop(signal?: NodeJS.Signals): Promise<unknown> }[] = [];
const keep = <T extends { stop(signal?: NodeJS.Signals): Promise<unknown> }>(process: T): T => {
  started.push(process);
  return process;
};

beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target.stop());
afterEach(async () => {
  for (const process of started.splice(0).reverse()) await process.stop('SIGKILL');
  folder?.remove();
});

const callTarget = (path: string, schedule?: object) => ({
  name: path,
  task: 'http',
  params: { url: `${target.url}${path}` },
  schedule,
});

describe('npm start', () => {
  it('runs a job once, not early and a few milliseconds late, and records the execution', async () => {
    folder = temporaryFolder();
    const local = keep(await startLocal(folder.path));
    const alice = local.as('alice');

    const created = await alice('POST', '/jobs', callTarget('/once', { in: 'PT3S' }));
    expect(created.status).toBe(201);
    const due = Date.parse(created.body.nextRunAt);
    await target.called('/once', 1, 30_000);
    const [call] = target.calls('/once');
    expect(call?.at).toBeGreaterThanOrEqual(due);
    expect((call?.at ?? 0) - due).toBeLessThan(30_000);

    await sleep(1000);
    expect(target.calls('/once')).toHaveLength(1);
    const { body } = await alice('GET', `/jobs/${created.body.id}/executions`);
    expect(body.items).toHaveLength(1);
    expect(body.items[0]).toMatchObject({ status: 'succeeded', attempt: 1, dueAt: created.body.nextRunAt });
    expect(body.items[0].latenessMs).toBeGreaterThanOrEqual(0);
    expect(await alice('GET', `/jobs/${created.body.id}`)).toMatchObject({ body: { status: 'completed' } });
    expect((await local.as('bob')('GET', `/jobs/${created.body.id}`)).status).toBe(404);

    expect(await local.stop()).toBe(0);
    expect(local.output()).not.toMatch(/"level":"(WARN|ERROR)"/);
  });

  it('stops when npm is stopped, and prints what it waits for', async () => {
    folder = temporaryFolder();
    const npm = spawn('npm', ['start'], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PUNCTUAL_PORT: '0', PUNCTUAL_DATA: folder.path },
    });
    let text = '';
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
    const closed = once(npm, 'close'); // when the server has closed its output too
    const says = (pattern: RegExp) =>
      until(`npm start prints ${pattern}`, () => pattern.exec(text), { detail: () => text });
    const [, url = ''] = await says(/listens on (http:\S+)/);
    const alice = client(url, folder.path, 'alice');
    const { body: job } = await alice('POST', '/jobs', { task: 'noop', params: { durationMs: 3_000 } });
    const running = async () =>
      (await alice('GET', `/jobs/${job.id}`)).body.lastExecution?.status === 'running';
    await until('the task runs', running);
    npm.kill('SIGTERM');
    await says(/Waiting up to 10 s for 1 running task to end\. Ctrl-C again stops at once\./);
    await closed;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it('prints a command for a token and a call that work as they are', async () => {
    folder = temporaryFolder();
    const local = keep(await startLocal(folder.path));
    const [line] = await local.printed(/^TOKEN=.*$/m);
    const token = execFileSync('sh', ['-c', `${line}; printf %s "$TOKEN"`], { encoding: 'utf8' });
    const [, url = '', json = ''] = await local.printed(/^curl -sS (\S+) .* -d '(.*)'$/m);
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: json,
    });
    expect(response.status).toBe(201);
  });

  it('prints a link with a token to a terminal only', async () => {
    folder = temporaryFolder();
    const terminal = '--import=data:text/javascript,process.stdout.isTTY=true';
    const local = keep(await startLocal(folder.path, { NODE_OPTIONS: terminal }));
    const [, token] = await local.printed(/console\/#token=(\S+)/);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${local.url}/workers`, { headers })).status).toBe(200);
    await local.stop();
    const next = keep(await startLocal(folder.path));
    // a page that stays open must not hand the next listener a token that is worth something
    expect((await fetch(`${next.url}/workers`, { headers })).status).toBe(401);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'keeps its jobs over %s, and those due soon still come on time',
    async (signal) => {
      folder = temporaryFolder();
      const path = `/after-${signal}`;
      const first = keep(await startLocal(folder.path));
      const { body: job } = await first.as('alice')('POST', '/jobs', callTarget(path, { in: 'PT8S' }));
      const late = await first.as('alice')('POST', '/jobs', callTarget('/never', { in: 'P1D' }));
      await first.stop(signal);

      const second = keep(await startLocal(folder.path));
      const { body } = await second.as('alice')('GET', '/jobs');
      expect(body.items.map((item: { id: string }) => item.id).sort()).toEqual([job.id, late.body.id].sort());
      await target.called(path, 1, 60_000);
      const [call] = target.calls(path);
      expect(call?.at).toBeGreaterThanOrEqual(Date.parse(job.nextRunAt));
      expect((call?.at ?? 0) - Date.parse(job.nextRunAt)).toBeLessThan(60_000);
      await sleep(500);
      expect(target.calls(path)).toHaveLength(1);
    },
  );

  it('waits for a running task before it stops', async () => {
    folder = temporaryFolder();
    const first = keep(await startLocal(folder.path));
    const body = { task: 'noop', params: { durationMs: 2000 } };
    const { body: job, status } = await first.as('alice')('POST', '/jobs', body);
    expect(status, JSON.stringify(job)).toBe(201);
    const running = async () =>
      (await first.as('alice')('GET', `/jobs/${job.id}`)).body.lastExecution?.status === 'running';
    await until('the task runs', running);
    expect(await first.stop()).toBe(0);
    const second = keep(await startLocal(folder.path));
    const executions = await second.as('alice')('GET', `/jobs/${job.id}/executions`);
    expect(executions.body.items).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'drains on %s sent to npm, as a terminal or a supervisor does',
    async (signal) => {
      folder = temporaryFolder();
      // a group of its own: a terminal sends Ctrl-C to npm and to the server, and npm hands it on as well
      const npm = spawn('npm', ['start'], {
        detached: true,
        env: { ...process.env, PUNCTUAL_PORT: '0', PUNCTUAL_DATA: folder.path, PUNCTUAL_LOG: 'info' },
      });
      let output = '';
      for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
      // npm's own exit code is that of its shell, which the signal ends; the server closes the output when it has drained
      const closed = once(npm, 'close');
      await until('the server listens', () => output.includes('listens on'));
      process.kill(signal === 'SIGINT' ? -Number(npm.pid) : Number(npm.pid), signal);
      await closed;
      expect(output).toContain('"message":"worker stopped"');
    },
  );

  it('refuses a data folder or port in use and a wrong setting, with an error message', async () => {
    folder = temporaryFolder();
    const local = keep(await startLocal(folder.path));
    const other = temporaryFolder();
    const said = async (env: Record<string, string>) => {
      const process = startPart('main', env);
      expect(await process.exited).toBe(1);
      return process.output().trim();
    };
    expect(await said({ PUNCTUAL_DATA: folder.path })).toMatch(
      new RegExp(
        `^punctual: the data folder ${folder.path} is in use by process ${local.child.pid} \\(npm start\\)`,
      ),
    );
    const { port } = new URL(local.url);
    expect(await said({ PUNCTUAL_DATA: other.path, PUNCTUAL_PORT: port })).toMatch(
      new RegExp(`^punctual: port ${port} is in use`),
    );
    expect(await said({ PUNCTUAL_DATA: other.path, PUNCTUAL_LOG: 'loud' })).toMatch(
      /^punctual: PUNCTUAL_LOG must be one of/,
    );
    expect(await said({ PUNCTUAL_DATA: other.path, AWS_ENDPOINT_URL: 'http://127.0.0.1:9' })).toMatch(
      /^punctual: the (tables|queues) at http:\/\/127\.0\.0\.1:9 cannot be found or created/,
    );
    other.remove();
  });
});

describe('the data of npm start', () => {
  it('is one file that only its user may read, and nothing listens but the API', async () => {
    folder = temporaryFolder();
    const local = keep(await startLocal(folder.path));
    expect(statSync(join(folder.path, 'punctual.db')).mode & 0o777).toBe(0o600);
    expect(listeners(local.child.pid)).toEqual([Number(new URL(local.url).port)]);
  });

  it.each(['worker.main', 'api.main', 'watcher.main', 'engines.main'] as const)(
    'is not shared: %s beside it stops with a sentence that names start:aws',
    async (part) => {
      folder = temporaryFolder();
      const local = keep(await startLocal(folder.path));
      const other = startPart(part, { PUNCTUAL_DATA: folder.path });
      expect(await other.exited).toBe(1);
      expect(other.output()).toMatch(
        new RegExp(`^punctual: the data folder .* is in use by process ${local.child.pid} \\(npm start\\)`),
      );
      expect(other.output()).toContain('Stop it and run `npm run start:aws`');
    },
  );

  it('does not touch the tables of dynoxide, and prints how to run their jobs', async () => {
    folder = temporaryFolder();
    const tables = join(folder.path, 'tables.db');
    writeFileSync(tables, 'what dynoxide has written');
    const local = keep(await startLocal(folder.path));
    await local.printed(/tables\.db has jobs of dynoxide.*`npm run start:aws` runs them/);
    expect((await local.as('me')('GET', '/jobs')).body.items).toEqual([]);
    expect(readFileSync(tables, 'utf8')).toBe('what dynoxide has written');
  });

  it.each([
    ['is a database of another program', (file: string) => new DatabaseSync(file).exec('CREATE TABLE x (a)')],
    [
      'is damaged',
      (file: string) => writeFileSync(file, 'no database at all, but longer than a header. '.repeat(50)),
    ],
  ])('a file that %s stops the start with an error message', async (what, make) => {
    folder = temporaryFolder();
    const file = join(folder.path, 'punctual.db');
    make(file);
    const local = startPart('main', { PUNCTUAL_DATA: folder.path });
    expect(await local.exited).toBe(1);
    expect(local.output()).toMatch(new RegExp(`^punctual: ${file} ${what}`));
  });

  it('made with another number of shards stops the start with an error message', async () => {
    folder = temporaryFolder();
    await keep(await startLocal(folder.path)).stop();
    const local = startPart('main', { PUNCTUAL_DATA: folder.path, PUNCTUAL_SHARDS: '4' });
    expect(await local.exited).toBe(1);
    expect(local.output()).toMatch(
      /^punctual: PUNCTUAL_SHARDS is 4, but these tables were created with more shards/,
    );
  });
});

describe('npm run token', () => {
  it('prints a token that works, also before the first start', async () => {
    folder = temporaryFolder();
    const printed = startPart('token.main', { PUNCTUAL_DATA: folder.path }, ['carol', '--operator']);
    expect(await printed.exited).toBe(0);
    const token = printed.output().trim();
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'carol', groups: ['punctual-operators'] });
    const local = keep(await startLocal(folder.path));
    const response = await fetch(`${local.url}/jobs`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    const without = await fetch(`${local.url}/jobs`);
    expect(without.status).toBe(401);
    expect(without.headers.get('content-type')).toBe('application/problem+json');
    expect(without.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('prints its usage', async () => {
    const without = startPart('token.main', {});
    expect(await without.exited).toBe(1);
    expect(without.output()).toMatch(/usage: npm run -s token -- <user>/);
  });
});
