import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuMs } from './stores.mjs';
import { lateness, sleep } from './util.mjs';

const CHILD = fileURLToPath(new URL('./peer-process.mjs', import.meta.url));

/** A producer or worker process of a peer. */
class PeerProcess {
  static async spawn({ name }, url, profile) {
    const peer = new PeerProcess();
    peer.child = fork(CHILD, [name, url, profile], { serialization: 'advanced' });
    peer.calls = [];
    peer.started = []; // workload F: { id, at }
    const ready = new Promise((resolve) => {
      peer.child.on('message', (message) => {
        if (message.ready) resolve();
        else if ('started' in message) peer.started.push({ id: message.started, at: Date.now() });
        else if (message.error) peer.calls[message.call].reject(new Error(message.error));
        else peer.calls[message.call].resolve(message.result);
      });
    });
    peer.exited = once(peer.child, 'exit').then(() => {
      for (const { reject } of peer.calls) reject(new Error('process exited'));
    });
    try {
      await Promise.race([ready, peer.exited]);
      await peer.call('start');
    } catch (error) {
      await peer.kill();
      throw error;
    }
    return peer;
  }

  call(method, ...args) {
    return new Promise((resolve, reject) => {
      const call = this.calls.push({ resolve, reject }) - 1;
      this.child.send({ call, method, args }, (error) => error && reject(error));
    });
  }

  async kill() {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Stops the peer gracefully, then kills the process, because some peers take seconds to stop. */
  async end() {
    await Promise.race([this.call('stop').catch(() => {}), sleep(1000)]);
    await this.kill();
  }
}

/** Runs `body` with a producer and (if `profile` is given) a worker in a fresh namespace. */
async function withPeer({ adapter, store }, profile, body) {
  const url = store.fresh();
  const processes = [];
  try {
    // One after the other, since the first to start creates the schema.
    for (const use of profile ? [profile, profile] : ['punctual'])
      processes.push(await PeerProcess.spawn(adapter, url, use));
    const [producer, worker] = processes;
    return await body({ url, producer, worker });
  } finally {
    await Promise.all(processes.map((peer) => peer.end()));
  }
}

/** A (and, with windowMs 0, B): jobs due at instants spread evenly over a window some seconds ahead. */
export const latenessOver = (ctx, { count, windowMs }) =>
  withPeer(ctx, 'punctual', async ({ producer, worker }) => {
    await worker.call('work');
    const firstDue = Date.now() + 2500 + count / 2; // time to create them all
    const { finishedAt } = await producer.call('create', { count, firstDue, spacing: windowMs / count });
    await sleep(Math.max(0, firstDue - Date.now()));
    const storeCpu = cpuMs(ctx.store.pids);
    const began = Date.now();
    const { starts } = await worker.call('collect', { count, deadline: firstDue + windowMs + 15_000 });
    return {
      ...lateness(starts, count),
      createdLateMs: Math.max(0, finishedAt - firstDue), // above 0, the lateness includes the delay of the creates
      storeCores: (cpuMs(ctx.store.pids) - storeCpu) / (Date.now() - began),
    };
  });

/** C and E: drains jobs that are already due; CPU per job of worker and store meanwhile. */
export const throughput = (ctx, { count, limit }) =>
  withPeer(ctx, 'throughput', async ({ url, producer, worker }) => {
    await producer.call('create', { count, firstDue: Date.now() - 1000 });
    ctx.store.settle(url);
    const storeCpu = cpuMs(ctx.store.pids);
    await worker.call('work');
    const {
      starts,
      ms,
      cpuMs: workerCpu,
    } = await worker.call('collect', { count, deadline: Date.now() + limit, drain: true });
    const { started, duplicates, missing } = lateness(starts, count);
    return {
      started,
      duplicates,
      missing,
      perSecond: (started / ms) * 1000,
      workerCpuMsPerJob: workerCpu / started,
      storeCpuMsPerJob: (cpuMs(ctx.store.pids) - storeCpu) / started,
    };
  });

/** D: creates jobs due in an hour; nothing runs them. */
export const enqueue = (ctx, { count, singly }) =>
  withPeer(ctx, null, async ({ producer }) => {
    const { perSecond } = await producer.call('create', { count, firstDue: Date.now() + 3_600_000, singly });
    return { perSecond };
  });

/** F: kill -9 of a worker in the middle of long jobs, while another worker is up. */
export async function crashRecovery({ adapter, store }, profile, { count, hold, limit }) {
  const url = store.fresh({ keepOthers: true });
  const processes = [];
  const spawn = async () => {
    processes.push(await PeerProcess.spawn(adapter, url, profile));
    return processes.at(-1);
  };
  try {
    const producer = await spawn();
    const victim = await spawn();
    await victim.call('work');
    await producer.call('create', { count, firstDue: Date.now(), hold });
    while (victim.started.length < count) await sleep(20);
    const heir = await spawn();
    await heir.call('work');
    await sleep(2000);
    const stolen = heir.started.splice(0).length; // jobs of a live worker started elsewhere
    await victim.kill();
    const killedAt = Date.now();
    if (profile === 'crashTuned') await heir.call('releaseDeadWorkers');
    const restarted = () => new Set(heir.started.map(({ id }) => id)).size;
    while (restarted() < count && Date.now() < killedAt + limit) await sleep(20);
    if (restarted() === count) await sleep(1000); // for duplicates
    const after = heir.started.map(({ at }) => (at - killedAt) / 1000);
    return {
      count,
      stolen,
      restarted: restarted(),
      duplicates: after.length - restarted(),
      firstSeconds: Math.min(...after),
      lastSeconds: Math.max(...after),
      watchedSeconds: (Date.now() - killedAt) / 1000,
    };
  } finally {
    await Promise.all(processes.map((peer) => peer.kill()));
  }
}

/** G: recurring jobs that fire every second. */
export const recurring = (ctx, { count, seconds }) =>
  withPeer(ctx, 'punctual', async ({ producer, worker }) => {
    await worker.call('work');
    await producer.call('createRecurring', count);
    const from = Math.ceil(Date.now() / 1000) * 1000 + 2000;
    const until = from + seconds * 1000;
    const { starts } = await worker.call('collect', { count: Infinity, deadline: until + 1500 });
    return lateness(
      starts.filter(({ due }) => due >= from && due < until),
      count * seconds,
    );
  });
