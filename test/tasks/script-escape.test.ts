// Attempts to get out of an isolated script, to other rights and other files. Each is made from a worker that is root and
// from one that is not. script-neighbours.test.ts has attempts on other programs, script-bombs.test.ts those on resources.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '../../src/tasks/script/script-params.ts';
import {
  isolatedLanguages,
  processesWith,
  type ScriptWorker,
  startScriptWorker,
  talking,
  users,
} from '../support/script-workers.ts';
import { writeEvilConversion } from './evil-conversion.ts';

const hasGcc = spawnSync('gcc', ['--version']).status === 0;
if (!hasGcc) console.warn('gcc is missing: the crafted conversion module is not compiled and not tried');

const languages = await isolatedLanguages();

describe.runIf(languages.length > 0).each(users())('an isolated script of a worker that is $as', (user) => {
  let worker: ScriptWorker;
  beforeAll(async () => {
    worker = await startScriptWorker(user);
    expect(worker.mode).toBe('isolated');
  });
  afterAll(async () => {
    const left = worker.leftovers();
    await worker.stop();
    expect(left).toEqual([]);
  });

  const { shell, python, attempts } = talking(() => worker);

  it.runIf(hasGcc)('cannot make a wrapper load its shared object, by LANGUAGE and GCONV_PATH', async () => {
    const evil = writeEvilConversion(worker.folder, ['util-linux', 'bubblewrap', 'coreutils', 'libc']);
    await shell('echo hello', evil.environment);
    await shell('echo hello', { LD_PRELOAD: evil.object, LD_AUDIT: evil.object });
    expect(readdirSync(evil.proofs)).toEqual([]);
    // the module works: a program that is started with these variables does load it
    spawnSync('setpriv', ['--reuid=0', 'true'], { env: { ...evil.environment, LANG: 'C.UTF-8' } });
    expect(readdirSync(evil.proofs)).toEqual([String(process.getuid?.())]);
  });

  it('has its variables to itself: no process outside the sandbox is started with one', async () => {
    const marker = `marker-${process.pid}-${user.uid}`;
    const names = ['LANGUAGE', 'GCONV_PATH', 'LD_LIBRARY_PATH', 'NODE_OPTIONS', 'BASH_ENV', 'PYTHONSTARTUP'];
    const environment = Object.fromEntries(names.map((name) => [name, `/nowhere/${marker}`]));
    const running = worker.run({ source: 'sleep 1' }, { environment });
    await expect.poll(() => processesWith(marker, 'environ').length).toBeGreaterThan(0);
    const namespace = (pid: string | number) => readlinkSync(`/proc/${pid}/ns/pid`);
    const outside = processesWith(marker, 'environ').filter((pid) => namespace(pid) === namespace('self'));
    expect(outside.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))).toEqual([]);
    await running;
  });

  const variables: [Language, string, Record<string, string>][] = [
    ['shell', 'echo hello', { BASH_ENV: '/etc/passwd', ENV: '/etc/passwd', PATH: '/nowhere', IFS: 'e' }],
    ['python', 'print("hello")', { PYTHONSTARTUP: '/etc/passwd', LD_PRELOAD: '/nowhere.so' }],
    ['node', 'console.log("hello")', { NODE_OPTIONS: '--no-warnings', LD_LIBRARY_PATH: '/nowhere' }],
  ];
  it.each(variables.filter(([language]) => languages.includes(language)))(
    'in %s runs as ever, whatever its variables are called',
    async (language, source, environment) => {
      const end = await worker.run({ language, source }, { environment });
      expect(end).toMatchObject({ exitCode: 0, stdout: 'hello\n' });
    },
  );

  it('has no rights and gets none, and its user is no other program’s', async () => {
    const status = await shell('grep -E "^(Cap|NoNew)" /proc/self/status; id -u; id -G');
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
      expect(status).toContain(`Cap${set}:\t0000000000000000`);
    expect(status).toContain('NoNewPrivs:\t1');
    const [uid, groups] = status.trim().split('\n').slice(-2);
    if (user.as === 'root') expect(Number(uid)).toBeGreaterThan(1_000_000_000);
    if (user.as === 'root') expect(groups).toBe(uid);
    // what would make it somebody else in the file system counts for nothing either
    const setuid = `import os, stat
for folder in ('/usr/bin', '/usr/sbin', '/usr/lib'):
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.exists(path) and os.stat(path).st_mode & stat.S_ISUID and not os.statvfs(path).f_flag & os.ST_NOSUID:
            print(path)`;
    expect(await python(setuid)).toBe('');
  });

  it('cannot make a user namespace', async () => {
    const calls = [
      'check(libc.unshare(0x10000000))',
      'check(libc.unshare(0x10000000 | 0x20000))',
      'check(libc.setns(os.open("/proc/self/ns/user", 0), 0))',
    ];
    const setUp = `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def check(code):
    if code != 0: raise OSError(ctypes.get_errno(), 'refused')
    return os.getuid()`;
    expect(await attempts(calls, setUp)).toBe('');
    expect(await shell('unshare -Ur id -u; unshare -n true && echo made; exit 0')).toBe('');
  });

  it('sees nothing of the data folder, and no file that another program has written', async () => {
    const data = join(worker.folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'token-key.json'), 'only-the-worker-reads', { mode: 0o644 });
    chmodSync(data, 0o755);
    const paths = [
      data,
      worker.folder,
      process.cwd(),
      '/root',
      '/home',
      '/var',
      '/etc/passwd',
      '/etc/shadow',
      '/run',
      '/sys',
      '/mnt',
    ];
    expect(await shell(`ls -d ${paths.join(' ')} 2>/dev/null; exit 0`)).toBe('');
    expect(
      await shell(
        `ln -s ${data} link; cat link/token-key.json; cat /proc/1/root${data}/token-key.json; exit 0`,
      ),
    ).toBe('');
    expect(await shell('ls /tmp /dev/shm')).toBe('/dev/shm:\n\n/tmp:\n');
  });

  it('writes nowhere but in its own /tmp and /dev/shm, and its links lead nowhere', async () => {
    const name = `own-${process.pid}-${user.uid}`;
    const target = join(worker.folder, 'precious');
    writeFileSync(target, 'as it was', { mode: 0o666 });
    chmodSync(target, 0o666);
    const paths = [
      '/new',
      '/usr/new',
      '/usr/bin/sh',
      '/bin/new',
      '/lib/new',
      '/etc/new',
      '/etc/ld.so.cache',
      '/dev/new',
      '/proc/sys/kernel/core_pattern',
      '/proc/sysrq-trigger',
      process.execPath,
      target,
    ];
    const source = `${paths.map((path) => `(: >> ${path}) 2>/dev/null && echo wrote ${path}`).join('\n')}
(echo x >> "$0") 2>/dev/null && echo wrote its source
ln -s ${target} link; (echo x > link) 2>/dev/null && echo wrote by link
mkdir locked; ln -s / locked/root; chmod 000 locked
echo x > /tmp/${name} && echo x > /dev/shm/${name} && cat /tmp/${name} /dev/shm/${name}`;
    expect(await shell(source)).toBe('x\nx\n');
    expect(readFileSync(target, 'utf8')).toBe('as it was');
    expect(['/tmp', '/dev/shm'].filter((folder) => existsSync(join(folder, name)))).toEqual([]);
  });

  it('has no devices but the harmless ones, and no terminal to type into', async () => {
    expect((await shell('ls /dev')).trim().split('\n')).toEqual([
      'core',
      'fd',
      'full',
      'null',
      'ptmx',
      'pts',
      'random',
      'shm',
      'stderr',
      'stdin',
      'stdout',
      'tty',
      'urandom',
      'zero',
    ]);
    const setUp = 'import fcntl, os, stat, termios';
    const lines = [0, 1, 2].map((fd) => `fcntl.ioctl(${fd}, termios.TIOCSTI, b"x")`);
    const devices = [
      'os.mknod("/tmp/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0))',
      'open("/dev/core", "rb").read(1)',
      'fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), termios.TIOCSTI, b"x")',
    ];
    expect(await attempts([...lines, ...devices], setUp)).toBe('');
  });

  it('has no files open but its own three', async () => {
    expect((await python('import os\nprint(sorted(os.listdir("/proc/self/fd")))')).trim()).toMatch(
      /^\['0', '1', '2', '3'\]$/,
    );
  });
});
