// Attempts of an isolated script on other programs: their processes, sources, variables, servers and keys. Each is made from
// a worker that is root and from one that is not.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isolatedHere,
  NOBODY,
  processesWith,
  type ScriptWorker,
  startScriptWorker,
  talking,
  users,
} from '../support/script-workers.ts';

describe.runIf(await isolatedHere()).each(users())('an isolated script of a worker that is $as', (user) => {
  let worker: ScriptWorker;
  const servers: Server[] = [];
  beforeAll(async () => {
    worker = await startScriptWorker(user);
    expect(worker.mode).toBe('isolated');
  });
  afterAll(async () => {
    const left = worker.leftovers();
    for (const server of servers) server.close();
    await worker.stop();
    expect(left).toEqual([]);
  });
  const { shell, attempts } = talking(() => worker);

  it('sees only its own processes, and cannot signal or trace another', async () => {
    const victim = spawn('sleep', ['60'], { uid: user.uid, gid: user.uid });
    const pids = (await shell('cd /proc; echo [0-9]*')).trim().split(' ').map(Number);
    expect(Math.max(...pids)).toBeLessThan(20);
    const setUp = `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def ptrace(pid):
    if libc.ptrace(16, pid, 0, 0) != 0: raise OSError(ctypes.get_errno(), 'refused')`;
    const others = [victim.pid, worker.pid, process.pid];
    expect(
      await attempts(
        others.flatMap((pid) => [
          `os.kill(${pid}, 9)`,
          `ptrace(${pid})`,
          `open("/proc/${pid}/environ").read()`,
        ]),
        setUp,
      ),
    ).toBe('');
    expect([victim.exitCode, victim.signalCode]).toEqual([null, null]);
    victim.kill();
  });

  it('reads nothing of another execution: neither its source, nor its variables, nor its arguments', async () => {
    const marker = `other-${process.pid}-${user.uid}`;
    const environment = { TOKEN: `${marker}-variable` };
    const other = worker.run(
      { source: `sleep 2 # ${marker}-source`, args: [`${marker}-arg`] },
      { environment },
    );
    await expect.poll(() => processesWith(`${marker}-arg`).length).toBeGreaterThan(0);
    const source = `cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a '^TOKEN\\|other-[0-9]' | grep -av marker
find / -xdev -newer /proc/1 -type f -not -path '/proc/*' 2>/dev/null | head; exit 0`;
    expect(await shell(source)).not.toContain(marker);
    // nor does anybody else on this machine
    expect(processesWith(`${marker}-source`)).toEqual([]);
    expect(processesWith(`${marker}-variable`)).toEqual([]);
    const stranger =
      user.uid === undefined && process.getuid?.() === 0 ? { uid: NOBODY - 1, gid: NOBODY - 1 } : {};
    const found = spawnSync('grep', ['-rl', marker, worker.folder, '/dev/shm'], {
      ...stranger,
      encoding: 'utf8',
    });
    expect(found.stdout).toBe('');
    expect(worker.leftovers()).toEqual([]);
    await other;
  });

  it('reaches no server of this machine: not on loopback, not by an abstract socket, not by a file', async () => {
    const listen = async (address: string | { port: number; host: string }) => {
      const server = createServer((socket) => socket.end('reached'));
      servers.push(server);
      server.listen(address);
      await once(server, 'listening');
      return server.address();
    };
    const tcp = await listen({ port: 0, host: '127.0.0.1' });
    const name = `punctual-test-${process.pid}-${user.uid}`;
    await listen(`\0${name}`);
    const file = join(worker.folder, 'socket');
    await listen(file);
    chmodSync(file, 0o777);
    const { port } = tcp as { port: number };
    const setUp = `import socket
def reach(family, address):
    s = socket.socket(family); s.settimeout(2); s.connect(address)`;
    const addresses = [
      `socket.AF_INET, ("127.0.0.1", ${port})`,
      `socket.AF_INET, ("1.1.1.1", 443)`,
      `socket.AF_UNIX, "\\0${name}"`,
      `socket.AF_UNIX, ${JSON.stringify(file)}`,
    ];
    expect(
      await attempts(
        addresses.map((one) => `reach(${one})`),
        setUp,
      ),
    ).toBe('');
    expect(await shell('cat /proc/net/unix | wc -l; cat /proc/net/dev | grep -c :')).toMatch(/^[1-3]\n1\n$/);
  });

  it('leaves no key in a keyring of the kernel, and reads none', async () => {
    const number = { x64: 248, arm64: 217 }[process.arch as 'x64'];
    const setUp = `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(offset, *args):
    code = libc.syscall(${number} + offset, *args)
    if code == -1: raise OSError(ctypes.get_errno(), 'refused')
    return code`;
    expect(
      await attempts(
        [
          'call(0, b"user", b"punctual-test", b"x", 1, -3)',
          'call(1, b"user", b"punctual-test", None, 0)',
          'call(2, 0, -3, 1)',
        ],
        setUp,
      ),
    ).toBe('');
  });

  it('cannot outlive its end, also when it has killed all that watches it', async () => {
    const marker = `300.${process.pid}${user.uid ?? 0}`;
    const source = `import os, signal, subprocess, time
for pid in [int(p) for p in os.listdir('/proc') if p.isdigit()]:
    if pid != os.getpid():
        try: os.kill(pid, signal.SIGKILL)
        except OSError: pass
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(['setsid', 'sleep', '${marker}'])
time.sleep(20)`;
    const stop = new AbortController();
    const running = worker.run({ language: 'python', source }, { signal: stop.signal });
    running.catch(() => {});
    await expect.poll(() => processesWith(marker).length).toBeGreaterThan(0);
    stop.abort();
    await expect(running).rejects.toThrow('told to stop');
    await expect.poll(() => processesWith(marker), { timeout: 1_000 }).toEqual([]);
  });
});
