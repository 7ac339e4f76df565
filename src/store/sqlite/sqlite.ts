// The Store port on one SQLite file: the operations of this folder, put together.
import { DatabaseSync } from 'node:sqlite';
import type { LogLineStore } from '../log-lines.ts';
import type { NumberReserve, Store } from '../store.ts';
import { type Boot, beginBoot } from './boot.ts';
import { changeOperations } from './changes.ts';
import { controlOperations } from './control.ts';
import { quotaOperations, windowOperations } from './counters.ts';
import { definitionOperations } from './definitions.ts';
import { createDirectWriter } from './direct-writer.ts';
import { erasureOperations } from './erasure.ts';
import { executionOperations } from './executions.ts';
import { headOperations } from './heads.ts';
import { logLineOperations } from './log-lines.ts';
import { type Messages, messageOperations } from './messages.ts';
import { nameOperations } from './names.ts';
import { createNumberReserve } from './numbers.ts';
import { IN_MEMORY, openReader, openWriter, secureFile, withFaults } from './open.ts';
import { operationOperations } from './operations.ts';
import type { WriterStats } from './protocol.ts';
import { createReader } from './reader.ts';
import { savedAndWaiting } from './saved-and-waiting.ts';
import { migrate } from './schema.ts';
import { seatOperations } from './seats.ts';
import type { Reader, Writer } from './statements.ts';
import { startThreadWriter } from './thread-writer.ts';
import { timetableOperations } from './timetable.ts';

export interface LayoutOptions {
  /** Number of shards of the timetable (`Settings.shards`). */
  readonly shards: number;
  /** Retention of terminal executions. Default 90. */
  readonly retentionDays?: number;
  /** Entries in a page of a slot. Default 1,000. */
  readonly slotPage?: number;
}

export interface SqliteOptions extends LayoutOptions {
  readonly file: string;
  /** This start of the only process that uses the file. Leases and receipts of earlier starts are released. */
  readonly boot: Boot;
  /** The writer's thread has ended with an unexpected error. All later writes fail. */
  onStopped?(error: Error): void;
}

export interface SqliteStore {
  readonly store: Store;
  readonly numbers: NumberReserve;
  /** Queues that outlive the process. */
  readonly messages: Messages;
  /** The log lines of executions. */
  readonly logLines: LogLineStore;
  /** Deletes rows that have expired by `now`, in the background. */
  expire(now: number): void;
  stats(): Promise<WriterStats>;
  /** Commits all waiting writes, then closes the file. */
  close(): Promise<void>;
}

/** Creates the file if it is missing. A file that cannot be used is a StoreFault. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const { file, boot } = options;
  secureFile(file);
  const first = openWriter(file);
  try {
    withFaults(file, () => {
      migrate(first, file);
      beginBoot(first, boot);
    });
  } finally {
    first.close();
  }
  const writer = await startThreadWriter(file, options.onStopped);
  const connection = openReader(file);
  const reader = createReader(connection, file);
  return {
    store: allOperations(reader, writer, options),
    numbers: createNumberReserve(reader, writer),
    messages: messageOperations(reader, writer),
    logLines: logLineOperations(reader, writer),
    expire: writer.expire,
    stats: writer.stats,
    async close() {
      await writer.close();
      if (connection.isOpen) connection.close();
    },
  };
}

/** A database in memory on the calling thread, for tests. Each operation takes effect when it is called. */
export function createMemorySqlite(options: LayoutOptions) {
  const db = new DatabaseSync(IN_MEMORY);
  migrate(db, IN_MEMORY);
  const reader = createReader(db, IN_MEMORY);
  const writer = createDirectWriter(db, IN_MEMORY);
  return {
    store: allOperations(reader, writer, options),
    messages: messageOperations(reader, writer),
    logLines: logLineOperations(reader, writer),
    close: () => db.close(),
  };
}

function allOperations(
  reader: Reader,
  writer: Writer,
  { shards, retentionDays = 90, slotPage = 1_000 }: LayoutOptions,
): Store {
  const retentionMs = retentionDays * 86_400_000;
  return {
    ...definitionOperations(reader, writer),
    ...headOperations(reader, writer, retentionMs),
    ...timetableOperations(reader, writer, shards, slotPage),
    ...executionOperations(reader, writer, retentionMs),
    ...controlOperations(reader, writer),
    ...quotaOperations(reader, writer),
    ...windowOperations(reader, writer),
    ...changeOperations(reader, writer),
    ...nameOperations(reader, writer),
    ...operationOperations(reader, writer),
    ...seatOperations(reader, writer),
    ...savedAndWaiting(reader, writer),
    ...erasureOperations(writer),
  };
}
