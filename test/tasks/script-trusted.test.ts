// Trusted scripts: nothing isolates them, and all of their processes end with them and with their worker.
import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  processesWith,
  type ScriptWorker,
  startScriptWorker,
  trustedUser,
} from '../support/script-workers.ts';

describe.runIf(trustedUser !== undefined)('a trusted script', () => {
  let worker: ScriptWorker;
  let number = 0;
  /** Of a `sleep`: no other process of this machine has it in its command line. */
  const marker = () => `${400 + number++}.${process.pid}`;
  beforeAll(async () => {
    worker = await startScriptWorker(trustedUser, true);
    expect(worker.mode).toBe('trusted');
  });
  afterAll(() => worker.stop());

  const daemons = (mark: string) =>
    `setsid sleep ${mark} & nohup sleep ${mark} >/dev/null 2>&1 & (setsid -f sleep ${mark} </dev/null >/dev/null 2>&1)`;

  it('is the current user, who can do what it may', async () => {
    const { stdout } = await worker.run({ source: `id -u; cat /proc/${worker.pid}/environ | wc -c` });
    const [uid, length] = (stdout ?? '').trim().split('\n').map(Number);
    expect(uid).toBe(trustedUser?.uid ?? process.getuid?.());
    expect(length).toBeGreaterThan(0);
  });

  it('has a folder that is for its user alone while it runs, and gone afterwards, locked or not', async () => {
    const running = worker.run({ source: 'mkdir locked; : > locked/file; chmod 000 locked; sleep 1' });
    await expect.poll(() => worker.leftovers().length).toBe(1);
    const [name = ''] = worker.leftovers();
    expect(statSync(`${worker.folder}/tmp/${name}`).mode & 0o777).toBe(0o700);
    await running;
    expect(worker.leftovers()).toEqual([]);
  });

  it('takes with it what it has started when it ends', async () => {
    const mark = marker();
    await worker.run({ source: `${daemons(mark)}\nsleep 0.1` });
    expect(processesWith(mark)).toEqual([]);
    expect(worker.leftovers()).toEqual([]);
  });

  it.each([
    ['may clean up', `trap 'exit 0' TERM`],
    ['ignores SIGTERM', `trap '' TERM`],
  ])('that %s is gone with all that it has started when it is told to stop', async (_, trap) => {
    const mark = marker();
    const stop = new AbortController();
    const source = `${trap}\n${daemons(mark)}\nwhile :; do sleep 0.1; done`;
    const running = worker.run({ source }, { signal: stop.signal });
    running.catch(() => {});
    await expect.poll(() => processesWith(mark).length).toBe(3);
    stop.abort();
    await expect(running).rejects.toThrow('told to stop');
    expect(processesWith(mark)).toEqual([]);
    expect(worker.leftovers()).toEqual([]);
  });

  it('does not end another one, which goes on', async () => {
    const other = worker.run({ source: 'sleep 1; echo still here' });
    await wait(200);
    await worker.run({ source: 'exit 0' });
    await expect(other).resolves.toMatchObject({ exitCode: 0, stdout: 'still here\n' });
  });

  it('that writes without end, or uses the processor without end, is ended', async () => {
    const loud = await worker.run({ source: 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done' });
    expect(loud).toMatchObject({ endedBy: 'its output exceeds 1048576 bytes' });
    const busy = await worker.run({ source: 'while :; do :; done' }, { limits: { cpuSeconds: 1 } });
    expect(busy.endedBy).toMatch(/signal/);
  });

  it('dies with its worker under kill -9, with all that it has started and its folder', async () => {
    const mark = marker();
    const doomed = await startScriptWorker(trustedUser, true);
    const source = `trap '' TERM HUP INT\n${daemons(mark)}\nsleep ${mark}`;
    doomed.run({ source }).catch(() => {});
    await expect.poll(() => processesWith(mark).length).toBe(4);
    await doomed.kill();
    await expect.poll(() => processesWith(mark)).toEqual([]);
    await expect.poll(() => doomed.leftovers()).toEqual([]);
    await doomed.stop();
  });

  it('dies with a worker that is killed while it starts', async () => {
    for (const delay of [0, 5, 10, 20, 40]) {
      const mark = marker();
      const doomed = await startScriptWorker(trustedUser, true);
      doomed.run({ source: `sleep ${mark}`, args: [mark] }).catch(() => {});
      await wait(delay);
      await doomed.kill();
      await wait(100); // long enough to start, had it survived
      await expect.poll(() => processesWith(mark)).toEqual([]);
      await doomed.stop();
    }
  }, 60_000);
});
