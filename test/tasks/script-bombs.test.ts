// Isolated scripts that take all they can get, and what is left of them afterwards: nothing, however they or their worker end.
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../src/tasks/script/script-params.ts';
import {
  isolatedLanguages,
  processesWith,
  type ScriptWorker,
  startScriptWorker,
  users,
} from '../support/script-workers.ts';

const languages = await isolatedLanguages();

describe.runIf(languages.length > 0).each(users())('an isolated script of a worker that is $as', (user) => {
  let worker: ScriptWorker;
  let number = 0;
  /** Of a `sleep`: no other process of this machine has it in its command line. */
  const marker = () => `${300 + number++}.${process.pid}${user.uid ?? 0}`;
  beforeAll(async () => {
    worker = await startScriptWorker(user);
    expect(worker.mode).toBe('isolated');
  });
  afterEach(() => expect(worker.leftovers()).toEqual([]));
  afterAll(() => worker.stop());

  it('that forks without end runs into its own limit, and nobody else’s', async () => {
    // bounded for this machine's sake: without a limit it would make 200
    const source = `import os, sys, time
made = 0
for i in range(200):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        time.sleep(20)
        os._exit(0)
    made += 1
print(made)
sys.stdout.flush()`;
    const limits = { processes: 20 };
    const bombs = [1, 2].map(() => worker.run({ language: 'python', source }, { limits }));
    for (const { stdout } of await Promise.all(bombs)) {
      expect(Number(stdout)).toBeGreaterThan(10);
      expect(Number(stdout)).toBeLessThan(20);
    }
  });

  const greedy: [Language, string, RegExp][] = [
    ['python', 'x = bytearray(8 * 1024**3)', /MemoryError/],
    ['python', 'import mmap; x = mmap.mmap(-1, 8 * 1024**3)', /Cannot allocate|MemoryError/],
    ['node', 'const a = []; for (let i = 0; i < 80; i++) a.push(Buffer.alloc(1e8, 1))', /./],
  ];
  const tried = greedy.filter(([language]) => languages.includes(language));
  it.each(tried)('in %s that takes 8 GiB of memory does not get it: %s', async (language, source, said) => {
    const { exitCode, stderr } = await worker.run({ language, source });
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toMatch(said);
  });

  it.each(['/tmp', '/dev/shm', '/dev', '/', '/var/tmp', '/run', '/home', '/usr', '/proc/self'])(
    'cannot fill %s: two files of a megabyte each are too much',
    async (folder) => {
      const source = `cd ${folder} 2>/dev/null || { echo 0; exit; }
for i in 1 2 3 4; do head -c 1000000 /dev/zero > big$i; done 2>/dev/null; cat big* 2>/dev/null | wc -c`;
      const { stdout } = await worker.run({ source }, { limits: { fileBytes: 2_000_000 } });
      expect(Number(stdout)).toBeLessThanOrEqual(2_000_000);
    },
  );

  it('that writes a huge file is ended at the limit', async () => {
    const source = 'dd if=/dev/zero of=big bs=65536 count=64 2>/dev/null; wc -c < big';
    const { stdout } = await worker.run({ source }, { limits: { fileBytes: 1024 * 1024 } });
    expect(Number(stdout)).toBeLessThanOrEqual(1024 * 1024);
  });

  it('that writes without end is ended', async () => {
    const end = await worker.run({ source: 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done' });
    expect(end).toMatchObject({ endedBy: 'its output exceeds 1048576 bytes' });
  });

  it('that uses the processor without end is ended', async () => {
    const end = await worker.run({ source: 'while :; do :; done' }, { limits: { cpuSeconds: 1 } });
    expect(end.endedBy).toMatch(/signal/);
  });

  it('cannot take a limit back, and gives way to the worker when the processor is short', async () => {
    const source =
      'ulimit -v unlimited; ulimit -t unlimited; ulimit -f unlimited; ulimit -p 1000; ulimit -v; ulimit -t';
    const { stdout } = await worker.run({ source: `(${source}) 2>/dev/null; ulimit -v; ulimit -t` });
    expect(stdout).not.toContain('unlimited');
    await expect(worker.run({ source: 'nice -n -5 nice 2>/dev/null' })).resolves.toMatchObject({
      stdout: '10\n',
    });
  });

  const DAEMONS = (mark: string) => `setsid sleep ${mark} & nohup sleep ${mark} >/dev/null 2>&1 &
(sleep ${mark} </dev/null >/dev/null 2>&1 & )`;

  it('takes with it what it has started when it ends', async () => {
    const mark = marker();
    await worker.run({ source: `${DAEMONS(mark)}\nsleep 0.1` });
    expect(processesWith(mark)).toEqual([]);
  });

  it.each([
    ['gets SIGTERM and may clean up', `trap 'echo cleaned > /dev/null; exit 0' TERM`],
    ['ignores SIGTERM', `trap '' TERM`],
  ])('that %s is gone with all that it has started when it is told to stop', async (_, trap) => {
    const mark = marker();
    const stop = new AbortController();
    const source = `${trap}\n${DAEMONS(mark)}\nwhile :; do sleep 0.1; done`;
    const running = worker.run({ source }, { signal: stop.signal });
    running.catch(() => {});
    await expect.poll(() => processesWith(mark).length).toBe(3);
    stop.abort();
    await expect(running).rejects.toThrow('told to stop');
    expect(processesWith(mark)).toEqual([]);
  });

  it('has a second after SIGTERM', async () => {
    const stop = new AbortController();
    const source = `trap 'echo cleaning; sleep 0.3; echo cleaned' TERM; echo ready; while :; do sleep 0.05; done & wait`;
    const limits = { outputBytes: 1_000_000 };
    const running = worker.run({ source }, { signal: stop.signal, limits });
    running.catch(() => {});
    await wait(300);
    const before = performance.now();
    stop.abort();
    await expect(running).rejects.toThrow('told to stop');
    expect(performance.now() - before).toBeGreaterThan(250);
  });

  it('dies with its worker under kill -9, with all that it has started', async () => {
    const mark = marker();
    const doomed = await startScriptWorker(user);
    doomed.run({ source: `trap '' TERM HUP INT\n${DAEMONS(mark)}\nsleep ${mark}` }).catch(() => {});
    await expect.poll(() => processesWith(mark).length).toBe(4);
    await doomed.kill();
    await expect.poll(() => processesWith(mark)).toEqual([]);
    expect(doomed.leftovers()).toEqual([]);
    await doomed.stop();
  });

  it('dies with a worker that is killed while it starts', async () => {
    for (const delay of [0, 5, 10, 20, 40]) {
      const mark = marker();
      const doomed = await startScriptWorker(user);
      doomed.run({ source: `sleep ${mark}`, args: [mark] }).catch(() => {});
      await wait(delay);
      await doomed.kill();
      await wait(100); // long enough to start, had it survived
      await expect.poll(() => processesWith(mark)).toEqual([]);
      expect(doomed.leftovers()).toEqual([]);
      await doomed.stop();
    }
  }, 60_000);
});
