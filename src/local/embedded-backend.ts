// The backend of an embedded server: one SQLite file in the data folder, and queues in this process. The process must own
// the data folder.
import { existsSync } from 'node:fs';
import { UnderWay } from '../concurrency/under-way.ts';
import { publishEvents } from '../notifications/publish-events.ts';
import { createStoredQueues } from '../queue/in-process/stored-queues.ts';
import { createWorkQueue } from '../queue/in-process/work-queue.ts';
import { monitorClock } from '../runtime/clock/clock-monitor.ts';
import { createReferenceClock } from '../runtime/clock/reference-clock.ts';
import { systemClock } from '../runtime/clock/system-clock.ts';
import { systemRandom } from '../runtime/random.ts';
import type { Log } from '../scheduling/context.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import { StoreFault } from '../store/sqlite/faults.ts';
import type { WriterStats } from '../store/sqlite/protocol.ts';
import { openSqliteStore, type SqliteOptions, type SqliteStore } from '../store/sqlite/sqlite.ts';
import { createMinuteStatistics } from '../telemetry/in-process/minute-statistics.ts';
import type { OpenedBackend } from './backend.ts';
import type { LocalConfig } from './config.ts';
import { databaseFile, tablesFile } from './data-folder-owner.ts';
import { keepLogs } from './keep-logs.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';
import { refillQueue } from './refill-queue.ts';
import { schedulerPorts } from './scheduler-ports.ts';
import { StartError } from './start-error.ts';
import { initializeTimetable } from './timetable-cursors.ts';

const EXPIRE_EVERY_MS = 60_000;
/** A worker receives a message this long before its fire time, and waits for the exact millisecond itself. */
const DELIVERED_AHEAD_MS = 200;

export interface OpenedEmbeddedBackend extends OpenedBackend {
  /** Counters of the writer since the start, for benchmarks. */
  stats(): Promise<WriterStats>;
}

/** Opens the database, expires old records every minute, and refills the work queue. */
export async function openEmbeddedBackend(
  config: LocalConfig,
  lifecycle: ProcessLifecycle,
  log: Log,
): Promise<OpenedEmbeddedBackend> {
  const { dataFolder, region, settings, store: options } = config;
  const clock = createReferenceClock(systemClock, 'own');
  const boot = { id: systemRandom.id(12), at: clock.now() };
  const sqlite = await open({
    file: databaseFile(dataFolder),
    boot,
    shards: settings.shards,
    ...(options.retentionDays !== undefined && { retentionDays: options.retentionDays }),
    onStopped: (error) =>
      lifecycle.fail(new StartError(`the database writer thread has stopped: ${error.message}`)),
  });
  lifecycle.defer(() => sqlite.close());
  // its lines are stored before the file is closed, and after the worker has stopped
  const { lines, logs } = keepLogs(sqlite.logLines, clock, lifecycle, log);
  const expiring = setInterval(() => sqlite.expire(clock.now()), EXPIRE_EVERY_MS);
  lifecycle.defer(() => clearInterval(expiring));

  const work = createWorkQueue({
    timer: clock,
    earlyMs: DELIVERED_AHEAD_MS,
    visibilityMs: settings.leaseMs,
    onDeadLetter: (body, reason) => log.error('dropped a message that cannot be handled', { body, reason }),
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
      ...{ clock, random: systemRandom, log, settings, boot: boot.id, lines },
      claims: new UnderWay(),
      numbers: sqlite.numbers,
    },
    { queue: notify.queue, changes: config.notifier.bus !== undefined },
  );
  const monitor = monitorClock(ctx);
  lifecycle.defer(() => monitor.stop());
  await initializeTimetable(ctx);
  await refillQueue(ctx);
  const backend = {
    ctx,
    receivers: [work.receiver],
    polls: { pollersPerQueue: 1, maxPerReceive: Number.POSITIVE_INFINITY, pauseAfterFewMs: 0 },
    ingest,
    notify,
    aws: { region },
    schedulerPorts: schedulerPorts(dataFolder),
    telemetry: { logs, statistics: createMinuteStatistics(clock) },
  };
  return { backend, messages: describeData(dataFolder), stats: sqlite.stats };
}

function describeData(dataFolder: string): string[] {
  const messages = [`Data: ${databaseFile(dataFolder)}. All components run in this process.`];
  const tables = tablesFile(dataFolder);
  if (existsSync(tables))
    messages.push(
      `${tables} has jobs of dynoxide, the engine of earlier versions. \`npm start\` ignores them. \`npm run start:aws\` runs them.`,
    );
  return messages;
}

const open = (options: SqliteOptions): Promise<SqliteStore> =>
  openSqliteStore(options).catch((error: unknown) => {
    throw error instanceof StoreFault ? new StartError(error.message) : error;
  });
