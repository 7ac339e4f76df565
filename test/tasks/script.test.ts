// Programs of tenants on this machine: that they run, and that they do not get out. Each attempt to get out is made with
// every sandbox that works here; what a weaker one leaves open is said by the test that shows it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startFauxqs } from '../../src/local/fauxqs.ts';
import { scriptTask } from '../../src/tasks/script.ts';
import { localScripts } from '../../src/tasks/script-local.ts';
import { type ScriptParams, scriptParams } from '../../src/tasks/script-params.ts';
import { findSandboxes, type SandboxKind, SEARCH } from '../../src/tasks/script-sandbox.ts';
import { DoNotRetry, type TaskContext } from '../../src/tasks/task.ts';
import { taskContext } from './context.ts';
import { local, testServices } from './services.ts';

/** A folder with a bwrap that is not installed can be named. */
const folders = [...SEARCH, ...(process.env.BWRAP_FOLDER ? [process.env.BWRAP_FOLDER] : [])];
const kinds: SandboxKind[] = [];
for (const kind of ['bwrap', 'namespaces', 'processes'] as const) {
  const sandbox = await findSandboxes({ strongest: kind, folders }).catch(() => undefined);
  if (sandbox?.().kind === kind) kinds.push(kind);
}
const isRoot = process.getuid?.() === 0;

const runner = (kind: SandboxKind, limits = {}) => {
  const scripts = localScripts({ strongest: kind, folders, limits });
  const task = scriptTask(testServices({}, { scripts: () => scripts }));
  return (params: Partial<ScriptParams>, more: Partial<TaskContext<ScriptParams>> = {}) =>
    task.run(taskContext(scriptParams.parse({ language: 'shell', ...params }), more)) as Promise<{
      exitCode: number;
      stdout: string;
      stderr: string;
      truncated: boolean;
    }>;
};

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('punctual-script-'));
/** By what only this test's processes have in their command line. */
const alive = (marker: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return /^\d+$/.test(pid) && line.includes(marker) && !line.includes('vitest');
    } catch {
      return false;
    }
  });

afterEach(() => expect(leftovers()).toEqual([]));

it('at least one sandbox works here', () => expect(kinds.length).toBeGreaterThan(0));

describe.each(kinds)('a script in the sandbox "%s"', (kind) => {
  const run = runner(kind);

  it.each([
    ['shell', 'echo "hello $1"; echo oops >&2'],
    ['python', 'import sys\nprint("hello", sys.argv[1])\nprint("oops", file=sys.stderr)'],
    ['node', 'console.log("hello", process.argv[2]); console.error("oops")'],
    ['node', 'import fs from "node:fs"; console.log("hello", process.argv[2]); console.error("oops")'],
  ] as const)('in %s gets its arguments and gives its output: %s', async (language, source) => {
    await expect(run({ language, source, args: ['a b; $(id)'] })).resolves.toEqual({
      exitCode: 0,
      stdout: 'hello a b; $(id)\n',
      stderr: 'oops\n',
      truncated: false,
    });
  });

  it('fails with its exit code and the end of what it said', async () => {
    await expect(run({ source: 'echo first >&2; echo broken >&2; exit 3' })).rejects.toMatchObject({
      name: 'ScriptFailed',
      message: 'the script ended with exit code 3; it said: first\nbroken',
    });
  });

  it('has an empty environment but for its own, and a home that is its folder', async () => {
    const { stdout } = await run({ source: 'pwd; env | sort', environment: { TOKEN: 'x' } });
    const [cwd = '', ...variables] = stdout.trim().split('\n');
    expect(
      variables
        .map((line) => line.split('=')[0])
        .filter((name) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name ?? '')),
    ).toEqual(['HOME', 'LANG', 'PATH', 'PUNCTUAL_ATTEMPT', 'PUNCTUAL_EXECUTION', 'TMPDIR', 'TOKEN']);
    expect(variables).toContain(`HOME=${cwd}`);
    expect(existsSync(cwd)).toBe(false);
  });

  it.runIf(isRoot || kind !== 'processes')('cannot read the environment of the worker', async () => {
    process.env.PUNCTUAL_TEST_SECRET = 'only-the-worker-knows';
    const source = `cat /proc/${process.pid}/environ /proc/$PPID/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; exit 0`;
    const { stdout } = await run({ source });
    expect(stdout).not.toContain('only-the-worker-knows');
  });

  it.runIf(isRoot || kind === 'bwrap')('cannot read a file that is the worker’s alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'punctual-test-'));
    writeFileSync(join(folder, 'secret'), 'only-the-worker-reads', { mode: 0o600 });
    await expect(run({ source: `cat ${folder}/secret` })).rejects.toThrow(/denied|No such file/);
    rmSync(folder, { recursive: true });
  });

  it.runIf(kind !== 'processes')('has no network', async () => {
    const source = `const s = require('node:net').connect(${port}, '127.0.0.1');
      s.on('connect', () => { console.log('connected'); process.exit(0); });
      s.on('error', (e) => { console.log(e.code); process.exit(0); });`;
    const { stdout } = await run({ language: 'node', source });
    expect(stdout).toMatch(/ECONNREFUSED|ENETUNREACH|EADDRNOTAVAIL/);
  });

  it('that writes without end is ended', async () => {
    const started = performance.now();
    await expect(run({ source: 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done' })).rejects.toThrow(
      'it wrote more than it may',
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('that takes 8 GiB of memory does not get it', async () => {
    const python = run({ language: 'python', source: 'x = bytearray(8 * 1024**3); print(len(x))' });
    await expect(python).rejects.toThrow('MemoryError');
    const shared = run({
      language: 'python',
      source: 'import mmap; x = mmap.mmap(-1, 8 * 1024**3); print(len(x))',
    });
    await expect(shared).rejects.toThrow(/Cannot allocate|MemoryError/);
    const source =
      'const a = []; for (let i = 0; i < 80; i++) a.push(Buffer.alloc(1e8, 1)); console.log(a.length)';
    await expect(run({ language: 'node', source })).rejects.toMatchObject({ name: 'ScriptFailed' });
  });

  it.runIf(isRoot || kind !== 'processes')(
    'that forks without end runs into its own limit, and nobody else’s',
    async () => {
      const small = runner(kind, { processes: 20 });
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
sys.stdout.flush()
`;
      const { stdout } = await small({ language: 'python', source });
      expect(Number(stdout)).toBeGreaterThan(0);
      expect(Number(stdout)).toBeLessThan(20);
      execFileSync('/bin/true');
    },
  );

  it('that writes a huge file is ended at the limit', async () => {
    const small = runner(kind, { fileBytes: 1024 * 1024 });
    await expect(
      small({ source: 'dd if=/dev/zero of=big bs=65536 count=64 2>/dev/null; ls -l big >&2; exit 9' }),
    ).rejects.toThrow(/ 1048576 /);
  });

  it('that uses the processor without end is ended', async () => {
    const short = runner(kind, { cpuSeconds: 1 });
    await expect(short({ source: 'while :; do :; done' })).rejects.toThrow(/was ended: (signal|SIG)/);
  });

  it('that ignores SIGTERM is killed', async () => {
    const stop = new AbortController();
    const reason = new Error('timeout');
    const marker = `deaf-${kind}-${process.pid}`;
    const source = `trap '' TERM; while :; do sleep 0.2; done # ${marker}`;
    const running = run({ source, args: [marker] }, { signal: stop.signal });
    running.catch(() => {});
    await expect.poll(() => alive(marker).length).toBeGreaterThan(0);
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(alive(marker)).toEqual([]);
  });

  it.runIf(isRoot || kind !== 'processes')(
    'leaves nothing behind, not even what left its group',
    async () => {
      const marker = `daemon-${kind}-${process.pid}`;
      const source = `(sleep 30; : ${marker}) & setsid sh -c 'sleep 31; : ${marker}' & nohup sh -c 'sleep 32; : ${marker}' >/dev/null 2>&1 & sleep 0.1`;
      const started = performance.now();
      await run({ source });
      expect(performance.now() - started).toBeLessThan(25_000);
      await wait(100);
      expect(alive(marker)).toEqual([]);
    },
  );

  it('that puts links into its folder makes the cleaning go nowhere else', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'punctual-test-'));
    writeFileSync(join(outside, 'precious'), 'still here');
    const before = statSync(outside).mode;
    await run({
      source: `ln -s ${outside} link; ln -s / root; mkdir locked; ln -s ${outside}/precious locked/p; chmod 000 locked`,
    });
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('still here');
    expect(statSync(outside).mode).toBe(before);
    rmSync(outside, { recursive: true });
  });

  it('cannot change its own source, nor become somebody else', async () => {
    const { stdout } = await run({
      source:
        'echo x 2>/dev/null >> "$0" && echo changed; (id -u; su -c id root </dev/null) 2>/dev/null; exit 0',
    });
    if (isRoot) expect(stdout).not.toContain('changed');
    expect(stdout).not.toContain('uid=0');
    if (isRoot) expect(Number(stdout.split('\n')[0])).toBeGreaterThan(65_535);
  });

  it('stops before it begins when it was told so', async () => {
    const stop = new AbortController();
    stop.abort(new Error('cancelled'));
    await expect(run({ source: 'echo x' }, { signal: stop.signal })).rejects.toThrow('cancelled');
  });
});

let port = 0;
describe('a script from S3', () => {
  let stop: () => Promise<void>;
  let s3: S3Client;
  beforeAll(async () => {
    const engine = await startFauxqs({ region: local.region });
    stop = engine.stop;
    port = Number(new URL(engine.endpoint).port);
    s3 = new S3Client({ ...local, endpoint: engine.endpoint, forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: 'scripts' }));
  });
  afterAll(async () => {
    s3.destroy();
    await stop();
  });

  const put = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket: 'scripts', Key, Body }));
  const task = (allow = ['s3://scripts/*']) => {
    const scripts = localScripts({ folders });
    return scriptTask(testServices({ s3 }, { scripts: () => scripts, allow: { s3: allow } }));
  };
  const params = (key: string) => scriptParams.parse({ language: 'shell', s3: { bucket: 'scripts', key } });

  it('is run as it is there', async () => {
    await put('hello.sh', 'echo from s3');
    await expect(task().run(taskContext(params('hello.sh')))).resolves.toMatchObject({ stdout: 'from s3\n' });
  });

  it('that is not there, too long, or not allowed is not tried again', async () => {
    await put('long.sh', '#'.repeat(262_145));
    await expect(task().run(taskContext(params('nope.sh')))).rejects.toBeInstanceOf(DoNotRetry);
    await expect(task().run(taskContext(params('long.sh')))).rejects.toThrow('at most 262144 bytes');
    await expect(task(['s3://other/*']).run(taskContext(params('hello.sh')))).rejects.toThrow(
      'may not be used',
    );
  });

  it.each([
    [{}],
    [{ source: 'x', s3: { bucket: 'scripts', key: 'k' } }],
    [{ source: 'ü'.repeat(5121) }],
    [{ source: 'x', args: ['a\0b'] }],
    [{ source: 'x', environment: { LD_PRELOAD: '/x.so' } }],
    [{ source: 'x', environment: { PUNCTUAL_EXECUTION: 'mine' } }],
    [{ source: 'x', language: 'perl' }],
  ])('params of another kind are refused: %#', (wrong) => {
    expect(scriptParams.safeParse({ language: 'shell', ...wrong }).success).toBe(false);
  });
});
