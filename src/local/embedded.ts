// The use cases' context of an embedded server: one SQLite file in the data folder and queues in this process. The process
// must own the data folder.
import { existsSync } from 'node:fs';
import { publishEvents } from '../notifications/publish-events.ts';
import { createStoredQueues } from '../queue/in-process/stored-queues.ts';
import { createWorkQueue } from '../queue/in-process/work-queue.ts';
import { monitorClock } from '../runtime/clock/clock-monitor.ts';
import { createReferenceClock } from '../runtime/clock/reference-clock.ts';
import { systemClock, systemRandom } from '../runtime/system.ts';
import { EARLIEST_CLAIM_MS } from '../scheduling/claiming/early-claim-time.ts';
import type { Log } from '../scheduling/context.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import { StoreFault } from '../store/sqlite/faults.ts';
import type { WriterStats } from '../store/sqlite/protocol.ts';
import { openSqliteStore, type SqliteOptions, type SqliteStore } from '../store/sqlite/sqlite.ts';
import type { LocalConfig } from './config.ts';
import { databaseFile, tablesFile } from './data-folder.ts';
import { ownPorts } from './own-ports.ts';
import { refillQueue } from './refill.ts';
import { type Running, StartError } from './run.ts';
import type { Opened } from './serve.ts';
import { beginTimetable } from './timetable.ts';

const EXPIRE_EVERY_MS = 60_000;
/** A worker has a message this long before its earliest claim. */
const DELIVERED_AHEAD_MS = 100;

export interface OpenedEmbedded extends Opened {
  /** Counts of the writer since the start, for benchmarks. */
  stats(): Promise<WriterStats>;
}

/** Opens the file, gives the retention its rounds, and fills the work queue. The file is closed when the process stops. */
export async function openEmbedded(config: LocalConfig, running: Running, log: Log): Promise<OpenedEmbedded> {
  const { dataFolder, region, settings, store: options } = config;
  const clock = createReferenceClock(systemClock, 'own');
  const boot = { id: systemRandom.id(12), at: clock.now() };
  const sqlite = await open({
    file: databaseFile(dataFolder),
    boot,
    shards: settings.shards,
    ...(options.retentionDays !== undefined && { retentionDays: options.retentionDays }),
    onStopped: (error) => running.fail(new StartError(`the writer's thread has ended: ${error.message}`)),
  });
  running.defer(() => sqlite.close());
  const expiring = setInterval(() => sqlite.expire(clock.now()), EXPIRE_EVERY_MS);
  running.defer(() => clearInterval(expiring));

  const work = createWorkQueue({
    timer: clock,
    aheadMs: EARLIEST_CLAIM_MS + DELIVERED_AHEAD_MS,
    visibilityMs: settings.leaseMs,
    onBuried: (body, reason) => log.error('dropped a message that cannot be handled', { body, reason }),
  });
  const { ingest, notify } = createStoredQueues({
    table: sqlite.messages,
    timer: clock,
    id: () => systemRandom.id(12),
  });
  const ctx = publishEvents(
    {
      store: withDefinitionCache(sqlite.store),
      queue: work.queue,
      ...{ clock, random: systemRandom, log, settings, boot: boot.id },
    },
    { queue: notify.queue, changes: config.notifier.bus !== undefined },
  );
  const monitor = monitorClock(ctx);
  running.defer(() => monitor.stop());
  await beginTimetable(ctx);
  await refillQueue(ctx);
  const backend = {
    ctx,
    inboxes: [work.inbox],
    polls: { pollersPerInbox: 1, mostPerReceive: Number.POSITIVE_INFINITY, afterFewMs: 0 },
    ingest,
    notify,
    aws: { region },
    ownPorts: ownPorts(dataFolder),
  };
  return { backend, told: whereDataIs(dataFolder), stats: sqlite.stats };
}

function whereDataIs(dataFolder: string): string[] {
  const told = [`Data: ${databaseFile(dataFolder)}. Everything runs in this process.`];
  const tables = tablesFile(dataFolder);
  if (existsSync(tables))
    told.push(
      `${tables} has the jobs of dynoxide, the engine of earlier versions. \`npm start\` does not read them; \`npm run start:aws\` runs them.`,
    );
  return told;
}

const open = (options: SqliteOptions): Promise<SqliteStore> =>
  openSqliteStore(options).catch((error: unknown) => {
    throw error instanceof StoreFault ? new StartError(error.message) : error;
  });
