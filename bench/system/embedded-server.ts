// The server of `npm start` in this process, started by the same function. The benchmarks can pause the worker's receives,
// count the jobs that have ended, and read the counters of the writer.
import { startAllInOne } from '../../src/local/all-in-one.ts';
import { readLocalConfig } from '../../src/local/config.ts';
import { openEmbeddedBackend } from '../../src/local/embedded-backend.ts';
import type { ProcessLifecycle } from '../../src/local/process-lifecycle.ts';
import { apiUrls } from '../../src/local/scheduler-ports.ts';
import type { Receiver } from '../../src/queue/queue.ts';
import type { WriterStats } from '../../src/store/sqlite/protocol.ts';
import type { Store } from '../../src/store/store.ts';

export interface EmbeddedServer {
  readonly url: string;
  /** Lets the worker receive. */
  openInbox(): void;
  /** The number of one-time jobs whose end is on the disk. */
  ended(): number;
  stats(): Promise<WriterStats>;
}

/** Reads the settings from the environment. With `closed`, the worker receives nothing before `openInbox`. */
export async function startEmbeddedServer(
  lifecycle: ProcessLifecycle,
  closed = false,
): Promise<EmbeddedServer> {
  const config = readLocalConfig(process.env);
  const receiver = Promise.withResolvers<void>();
  if (!closed) receiver.resolve();
  let ended = 0;
  let stats: () => Promise<WriterStats> = () => Promise.reject(new Error('the server has not started'));
  await startAllInOne(config, lifecycle, {
    command: 'npm run bench',
    async openBackend(...given) {
      const opened = await openEmbeddedBackend(...given);
      stats = opened.stats;
      const { backend } = opened;
      const store = countingEnds(backend.ctx.store, () => ended++);
      const receivers = backend.receivers.map((one) => openedBy(one, receiver.promise));
      return { ...opened, backend: { ...backend, receivers, ctx: { ...backend.ctx, store } } };
    },
  });
  const [url] = apiUrls(config.dataFolder);
  if (url === undefined) throw new Error('the server has recorded no URL');
  return {
    url,
    openInbox: receiver.resolve,
    ended: () => ended,
    stats: () => stats(),
  };
}

const openedBy = (receiver: Receiver, opened: Promise<void>): Receiver => ({
  ...receiver,
  async receive(...given) {
    await opened;
    return receiver.receive(...given);
  },
});

const countingEnds = (store: Store, count: () => void): Store => ({
  ...store,
  async updateHead(seen, change) {
    const done = await store.updateHead(seen, change);
    if (done && (change.status === 'completed' || change.status === 'failed')) count();
    return done;
  },
});
