// Private Redis and PostgreSQL servers: free ports, data in a temp folder,
// children of this process, stopped by pid.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { sleep } from './util.mjs';

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const output = (command, args, options) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe', ...options }).trim();

/** Starts a server, waits until `probe` succeeds, and returns a function that stops it. */
async function serve(command, args, options, stopSignal, probe) {
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  for (let tries = 0; ; tries++) {
    try {
      probe();
      break;
    } catch (error) {
      if (tries === 200 || child.exitCode !== null) throw error;
      await sleep(50);
    }
  }
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill(stopSignal);
    });
  return { pids: [child.pid], stop };
}

export async function startRedis(dir) {
  mkdirSync(dir);
  const port = await freePort();
  const cli = (...args) => output('redis-cli', ['-p', port, ...args]);
  const server = await serve(
    'redis-server',
    [
      '--port',
      port,
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--appendonly',
      'yes',
      '--appendfsync',
      'everysec',
      // Redis ends a blocking read (which is how BullMQ waits for the next delayed job) only
      // every 1/hz s; its manual allows raising 10 to 100 where low latency matters.
      '--hz',
      process.env.REDIS_HZ ?? '100',
    ],
    {},
    'SIGTERM',
    () => cli('ping'),
  );
  const shown = ['appendonly', 'appendfsync', 'save', 'hz', 'maxmemory-policy'];
  let used = 0;
  return {
    ...server,
    version: /redis_version:(\S+)/.exec(cli('info', 'server'))[1],
    settings: Object.fromEntries(shown.map((key) => [key, cli('config', 'get', key).split('\n')[1]])),
    /** The URL of an empty namespace for one workload. Earlier ones are removed, unless `keepOthers`. */
    fresh({ keepOthers = false } = {}) {
      if (!keepOthers) cli('flushall');
      return `redis://127.0.0.1:${port}/${used++ % 16}`;
    },
    settle() {},
  };
}

export async function startPostgres(dir) {
  const bin = readdirSync('/usr/lib/postgresql')
    .sort((a, b) => a - b)
    .map((v) => `/usr/lib/postgresql/${v}/bin`)
    .at(-1);
  mkdirSync(dir, { mode: 0o700 });
  let options = { cwd: dir };
  if (process.getuid() === 0) {
    // PostgreSQL refuses to run as root, so it runs as the user of its package.
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(output('id', [flag, 'postgres'])));
    chownSync(dir, uid, gid);
    options = { cwd: dir, uid, gid };
  }
  output(
    `${bin}/initdb`,
    ['-D', dir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
    options,
  );
  const port = await freePort();
  const sql = (text, database = 'postgres') =>
    output(`${bin}/psql`, [
      '-h',
      '127.0.0.1',
      '-p',
      port,
      '-U',
      'postgres',
      '-d',
      database,
      '-XAtq',
      '-c',
      text,
    ]);
  // Default settings, but for room for all the peers that workload F runs at once.
  const server = await serve(
    `${bin}/postgres`,
    ['-D', dir, '-p', port, '-k', dir, '-h', '127.0.0.1', '-c', 'max_connections=300'],
    options,
    'SIGINT',
    () => sql('select 1'),
  );
  const shown = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_connections'];
  let used = 0;
  return {
    ...server,
    version: sql('show server_version').split(' ')[0],
    settings: Object.fromEntries(shown.map((key) => [key, sql(`show ${key}`)])),
    fresh({ keepOthers = false } = {}) {
      if (!keepOthers && used > 0) sql(`drop database bench${used} with (force)`);
      used += 1;
      sql(`create database bench${used}`);
      sql('checkpoint'); // writes the dirty pages of the previous workload now
      return `postgres://postgres@127.0.0.1:${port}/bench${used}`;
    },
    /** Does the work of autovacuum, which a new database has not had yet. */
    settle: (url) => sql('vacuum analyze', new URL(url).pathname.slice(1)),
  };
}

const TICK_MS = 1000 / Number(output('getconf', ['CLK_TCK']));

/** CPU time of processes with their descendants, including ended ones. Without pids, of all processes. */
export function cpuMs(pids) {
  const children = new Map();
  const own = new Map();
  for (const pid of readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)) {
    let text;
    try {
      text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    } catch {
      continue;
    } // the process has ended
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    own.set(pid, fields[11] + fields[12] + fields[13] + fields[14]); // utime stime cutime cstime
    children.set(fields[1], [...(children.get(fields[1]) ?? []), pid]);
  }
  const tree = (pid) =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + tree(child), own.get(pid) ?? 0);
  const ticks = pids ? pids.map(tree) : [...own.values()];
  return ticks.reduce((a, b) => a + b, 0) * TICK_MS;
}
