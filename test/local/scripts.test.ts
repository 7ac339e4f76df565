// Scripts in local mode as a user meets them: the start says how they run, the API refuses them where they cannot, and
// nothing of them outlives a server that is killed.
import { chownSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Folder, startLocal, startPart, temporaryFolder } from '../support/processes.ts';
import { isolatedHere, processesWith, trustedUser } from '../support/script-workers.ts';

const isolated = await isolatedHere();
/** Has what starts the tables, and no bwrap. */
const bin = temporaryFolder();
symlinkSync('/bin/cat', join(bin.path, 'cat'));
afterAll(() => bin.remove());
const WITHOUT_BWRAP = { PATH: bin.path };
const script = (source: string, more: object = {}) => ({
  task: 'script',
  params: { language: 'shell', source, ...more },
  retry: { maxAttempts: 1 },
});

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
const start = async (env = {}, uid?: number) => {
  if (uid !== undefined) chownSync(folder.path, uid, uid);
  local = await startLocal(folder.path, env, uid);
  return local.as('me');
};
type Client = ReturnType<(typeof local)['as']>;
const ended = async (me: Client, jobId: string) => {
  const read = async (): Promise<{ status: string } | undefined> =>
    (await me('GET', `/jobs/${jobId}/executions`)).body.items.find((item: { status: string }) =>
      /succeeded|failed/.test(item.status),
    );
  await expect.poll(read, { timeout: 15_000 }).toBeDefined();
  return read();
};

afterEach(async () => {
  await local?.stop('SIGKILL');
  folder?.remove();
});

describe('npm start without bwrap', () => {
  it('says so, and refuses scripts with a sentence that names both modes', async () => {
    folder = temporaryFolder();
    const me = await start(WITHOUT_BWRAP);
    expect(local.output()).toMatch(/^Scripts are refused\. .*bubblewrap.*PUNCTUAL_SCRIPTS=trusted/m);
    const refused = await me('POST', '/jobs', script('echo hello'));
    expect(refused).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            path: 'task',
            message: expect.stringMatching(/"script".*isolated.*bwrap.*PUNCTUAL_SCRIPTS=trusted/),
          },
        ],
      },
    });
    expect((await me('GET', '/jobs')).body.items).toEqual([]);
    const tasks: { name: string }[] = (await me('GET', '/tasks')).body.items;
    expect(tasks.map(({ name }) => name)).toContain('noop');
    expect(tasks.map(({ name }) => name)).not.toContain('script');
    expect((await me('POST', '/jobs', { task: 'noop' })).status).toBe(201);
  });

  it.runIf(isolated)('fails a script that was created before, and does not try it again', async () => {
    folder = temporaryFolder();
    const before = await start();
    const { body: job } = await before('POST', '/jobs', {
      ...script('echo hello'),
      schedule: { in: 'PT1H' },
      retry: { maxAttempts: 3 },
    });
    await local.stop();
    const me = await start(WITHOUT_BWRAP);
    expect((await me('POST', `/jobs/${job.id}/run`)).status).toBe(202);
    expect(await ended(me, job.id)).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: { message: expect.stringContaining('PUNCTUAL_SCRIPTS=trusted') },
    });
  });
});

describe.runIf(isolated)('npm start with bwrap', () => {
  it('says that scripts run isolated, and they see nothing of its data', async () => {
    folder = temporaryFolder();
    const me = await start();
    expect(local.output()).toMatch(/^Scripts run isolated, by \/.*bwrap\.$/m);
    const source = `ls -d ${folder.path} ${join(folder.path, '*')} /proc/${local.child.pid}; echo looked`;
    const { body: job } = await me('POST', '/jobs', script(source));
    expect(await ended(me, job.id)).toMatchObject({ status: 'succeeded', result: { stdout: 'looked\n' } });
  });
});

/** Killed while a script runs that has left its process group and ignores every signal that can be ignored. */
async function killWhileRunning(uid: number | undefined, env = {}): Promise<void> {
  folder = temporaryFolder();
  const me = await start(env, uid);
  const mark = `500.${process.pid}`;
  const source = `trap '' TERM HUP INT; setsid sleep ${mark} >/dev/null 2>&1 & sleep ${mark}`;
  await me('POST', '/jobs', script(source));
  await expect.poll(() => processesWith(mark).length, { timeout: 15_000 }).toBe(2);
  await local.stop('SIGKILL');
  await expect.poll(() => processesWith(mark)).toEqual([]);
}

describe('kill -9 of npm start', () => {
  it.runIf(isolated)('ends its isolated scripts with all that they have started', () =>
    killWhileRunning(undefined),
  );

  it.runIf(trustedUser !== undefined)('ends its trusted scripts with all that they have started', () =>
    killWhileRunning(trustedUser?.uid, { PUNCTUAL_SCRIPTS: 'trusted' }),
  );
});

it('PUNCTUAL_SCRIPTS=trusted is refused for root at the start, and said at the start of another user', async () => {
  folder = temporaryFolder();
  if (process.getuid?.() === 0) {
    const refused = startPart('main', { PUNCTUAL_DATA: folder.path, PUNCTUAL_SCRIPTS: 'trusted' });
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toMatch(/^punctual: PUNCTUAL_SCRIPTS must not be "trusted" for root/);
  } else {
    await start({ PUNCTUAL_SCRIPTS: 'trusted' });
    expect(local.output()).toMatch(/^Scripts run as the current user, without isolation/m);
  }
});
