// One process playing one role (producer or worker) of one peer, driven by the
// orchestrator over IPC: { call, method, args } -> { call, result | error }.
import { eachConcurrently, sleep } from './util.mjs';

const [adapterName, url, profileName] = process.argv.slice(2);
const { open, profiles } = await import(`./adapters/${adapterName}.mjs`);
const peer = open(url, profiles[profileName]);

const starts = []; // every start of the handler: { id, due, at }
const distinct = new Set();
let workBegan, cpuAtBegin;

/** The handler of every peer. It records its start time and returns, or in workload F runs for a while. */
function onJob({ id, due, hold }) {
  starts.push({ id, due, at: Date.now() });
  distinct.add(`${id}@${due}`);
  if (!hold) return undefined;
  process.send({ started: id });
  return sleep(hold);
}

const methods = {
  start: () => peer.start(),

  /** Creates jobs due at firstDue, firstDue + spacing, ...; singly for at most 10 s, in bulk otherwise. */
  async create({ count, firstDue, spacing = 0, hold, singly = false }) {
    const jobs = Array.from({ length: count }, (_, id) => ({
      id,
      due: Math.floor(firstDue + id * spacing),
      hold,
    }));
    const began = performance.now();
    let created = count;
    if (singly) created = await eachConcurrently(jobs, 32, peer.createOne, Date.now() + 10_000);
    else await peer.createBatch(jobs);
    return { perSecond: (created / (performance.now() - began)) * 1000, finishedAt: Date.now() };
  },

  async createRecurring(count) {
    await peer.createRecurring(Array.from({ length: count }, (_, id) => id));
  },

  async work() {
    workBegan = performance.now();
    cpuAtBegin = process.cpuUsage();
    await peer.startWorker(onJob);
  },

  /**
   * Waits until `count` distinct jobs have started, or the deadline. With `drain`, then also until
   * the store holds no unfinished job; without, half a second more, in which duplicates would show.
   */
  async collect({ count, deadline, drain = false }) {
    while (distinct.size < count && Date.now() < deadline) await sleep(5);
    if (drain) while (Date.now() < deadline && (await peer.pending()) > 0) await sleep(10);
    const ms = performance.now() - workBegan;
    const { user, system } = process.cpuUsage(cpuAtBegin);
    if (!drain) await sleep(500);
    return { starts, ms, cpuMs: (user + system) / 1000 };
  },

  releaseDeadWorkers: () => peer.releaseDeadWorkers?.(),
  stop: () => peer.stop(),
};

process.on('message', async ({ call, method, args }) => {
  try {
    process.send({ call, result: await methods[method](...args) });
  } catch (error) {
    process.send({ call, error: error.stack });
  }
});
process.on('disconnect', () => process.exit()); // the orchestrator has ended
process.send({ ready: true });
