// Scripts on this machine: that they run, in both modes, and how the task tells their end. What an isolated one must not be
// able to do is in script-escape.test.ts and script-bombs.test.ts.
import { existsSync } from 'node:fs';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFauxqs } from '../../src/local/fauxqs.ts';
import { scriptTask } from '../../src/tasks/script/script.ts';
import { type Language, scriptParams } from '../../src/tasks/script/script-params.ts';
import type { Script, ScriptEnd } from '../../src/tasks/script/script-runner.ts';
import { DoNotRetry } from '../../src/tasks/task.ts';
import {
  isolatedLanguages,
  type ScriptWorker,
  startScriptWorker,
  trustedUser,
} from '../support/script-workers.ts';
import { taskContext } from '../support/task-context.ts';
import { local, testServices } from '../support/task-services.ts';

const languages = await isolatedLanguages();
const modes = [...(languages.length > 0 ? ['isolated'] : []), ...(trustedUser ? ['trusted'] : [])];

describe.each(modes)('a script that is %s', (mode) => {
  const canRun = ([language]: readonly [Language, string]) =>
    mode === 'trusted' || languages.includes(language);
  let worker: ScriptWorker;
  beforeAll(async () => {
    worker = await (mode === 'isolated' ? startScriptWorker() : startScriptWorker(trustedUser, true));
    expect(worker.mode).toBe(mode);
  });
  afterAll(async () => {
    const left = worker.leftovers();
    await worker.stop();
    expect(left).toEqual([]);
  });

  const hellos: readonly (readonly [Language, string])[] = [
    ['shell', 'echo "hello $1"; echo oops >&2'],
    ['python', 'import sys\nprint("hello", sys.argv[1])\nprint("oops", file=sys.stderr)'],
    ['node', 'console.log("hello", process.argv[2]); console.error("oops")'],
    ['node', 'import fs from "node:fs"; console.log("hello", process.argv[2]); console.error("oops")'],
  ];
  it.each(hellos.filter(canRun))(
    'in %s gets its arguments and gives its output: %s',
    async (language, source) => {
      await expect(worker.run({ language, source, args: ['a b; $(id)'] })).resolves.toEqual({
        exitCode: 0,
        stdout: 'hello a b; $(id)\n',
        stderr: 'oops\n',
        truncated: false,
      });
    },
  );

  it.each([
    ['exit 3', { exitCode: 3 }],
    ['kill -9 $$', { exitCode: 137, endedBy: 'signal 9' }],
    ['head -c 1200 /dev/zero | tr "\\0" x', { exitCode: 0, stdout: 'x'.repeat(1000), truncated: true }],
  ])('tells how it ended: %s', async (source, end) => {
    await expect(worker.run({ source })).resolves.toMatchObject(end);
  });

  it('has an empty environment but for its own, and a home that is its folder', async () => {
    const { stdout = '' } = await worker.run({ source: 'pwd; env | sort', environment: { TOKEN: 'x' } });
    const [cwd = '', ...variables] = stdout.trim().split('\n');
    const names = variables.map((line) => line.split('=')[0] ?? '');
    expect(names.filter((name) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name))).toEqual([
      'HOME',
      'LANG',
      'PATH',
      'PUNCTUAL_ATTEMPT',
      'PUNCTUAL_EXECUTION',
      'TMPDIR',
      'TOKEN',
    ]);
    expect(variables).toContain(`HOME=${cwd}`);
    if (mode === 'isolated') expect(cwd).toBe('/tmp');
    else expect(existsSync(cwd)).toBe(false);
  });

  it('reads an empty input, and may write into its home', async () => {
    await expect(worker.run({ source: 'cat; echo x > file; cat "$HOME/file"' })).resolves.toMatchObject({
      stdout: 'x\n',
    });
  });

  it('that was stopped before it began does not begin', async () => {
    const stop = new AbortController();
    const running = worker.run({ source: 'sleep 20' }, { signal: stop.signal });
    stop.abort();
    await expect(running).rejects.toThrow('told to stop');
  });
});

describe('the task `script`', () => {
  const ending = (end: ScriptEnd, seen: Script[] = []) => ({
    run: async (script: Script) => {
      seen.push(script);
      return end;
    },
  });
  const run = (end: ScriptEnd) =>
    scriptTask(testServices({}, { scripts: () => ending(end) })).run(
      taskContext(scriptParams.parse({ language: 'shell', source: 'x' })),
    );

  it('returns what a script with exit code 0 has printed, and fails with what another one said', async () => {
    await expect(run({ exitCode: 0, stdout: 'x' })).resolves.toEqual({ exitCode: 0, stdout: 'x' });
    await expect(run({ exitCode: 3, stderr: 'first\nbroken\n' })).rejects.toMatchObject({
      name: 'ScriptFailed',
      message: 'the script ended with exit code 3; output: first\nbroken',
    });
    await expect(run({ endedBy: 'its output exceeds 9 bytes' })).rejects.toThrow(
      'was stopped: its output exceeds',
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

  describe('with a program in S3', () => {
    let stop: () => Promise<void>;
    let s3: S3Client;
    beforeAll(async () => {
      const engine = await startFauxqs({ region: local.region });
      stop = engine.stop;
      s3 = new S3Client({ ...local, endpoint: engine.endpoint, forcePathStyle: true });
      await s3.send(new CreateBucketCommand({ Bucket: 'scripts' }));
    });
    afterAll(async () => {
      s3.destroy();
      await stop();
    });

    const put = (Key: string, Body: string) =>
      s3.send(new PutObjectCommand({ Bucket: 'scripts', Key, Body }));
    const task = (seen: Script[] = [], allow = ['s3://scripts/*']) =>
      scriptTask(
        testServices({ s3 }, { scripts: () => ending({ exitCode: 0 }, seen), allow: { s3: allow } }),
      );
    const params = (key: string) => scriptParams.parse({ language: 'shell', s3: { bucket: 'scripts', key } });

    it('runs it as it is there', async () => {
      await put('hello.sh', 'echo from s3');
      const seen: Script[] = [];
      await task(seen).run(taskContext(params('hello.sh')));
      expect(seen).toMatchObject([{ language: 'shell', source: 'echo from s3' }]);
    });

    it('that is not there, too long, or not allowed is not tried again', async () => {
      await put('long.sh', '#'.repeat(262_145));
      await expect(task().run(taskContext(params('nope.sh')))).rejects.toBeInstanceOf(DoNotRetry);
      await expect(task().run(taskContext(params('long.sh')))).rejects.toThrow('at most 262144 bytes');
      await expect(task([], ['s3://other/*']).run(taskContext(params('hello.sh')))).rejects.toThrow(
        'may not be used',
      );
    });
  });
});
