// The store in one file of SQLite: the operations of this folder, put together.
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '../store.ts';
import { type Boot, beginBoot } from './boot.ts';
import { changeOperations } from './changes.ts';
import { controlOperations } from './control.ts';
import { noticeOperations, quotaOperations } from './counters.ts';
import { definitionOperations } from './definitions.ts';
import { createDirectWriter } from './direct-writer.ts';
import { executionOperations } from './executions.ts';
import { headOperations } from './heads.ts';
import { holdOperations } from './holds.ts';
import { type Messages, messageOperations } from './messages.ts';
import { IN_MEMORY, openReader, openWriter, secureFile, withFaults } from './open.ts';
import { operationOperations } from './operations.ts';
import type { WriterStats } from './protocol.ts';
import { createReader } from './reader.ts';
import { migrate } from './schema.ts';
import type { Reader, Writer } from './statements.ts';
import { startThreadWriter } from './thread-writer.ts';
import { timetableOperations } from './timetable.ts';

export interface LayoutOptions {
  /** How far the timetable is spread (`Settings.shards`). */
  readonly shards: number;
  /** Terminal executions are kept this long. Default 90. */
  readonly retentionDays?: number;
  /** Entries in a page of a slot. Default 1,000. */
  readonly slotPage?: number;
}

export interface SqliteOptions extends LayoutOptions {
  readonly file: string;
  /** This start of the only process that uses the file: leases and messages of earlier ones are free. */
  readonly boot: Boot;
  /** Told when the writer's thread has ended by a mistake of ours: nothing can be written any more. */
  onStopped?(error: Error): void;
}

export interface SqliteStore {
  readonly store: Store;
  /** Queues that survive the process. */
  readonly messages: Messages;
  /** Deletes what has expired by `now`, in the background. */
  expire(now: number): void;
  stats(): Promise<WriterStats>;
  /** Writes all that was asked for, then closes the file. */
  close(): Promise<void>;
}

/** Makes the file if it is missing. Throws a StoreFault when it cannot be used. */
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
    messages: messageOperations(reader, writer),
    expire: writer.expire,
    stats: writer.stats,
    async close() {
      await writer.close();
      if (connection.isOpen) connection.close();
    },
  };
}

/** In memory, on the calling thread: each operation takes effect when it is called. For tests. */
export function createMemorySqlite(options: LayoutOptions) {
  const db = new DatabaseSync(IN_MEMORY);
  migrate(db, IN_MEMORY);
  const reader = createReader(db, IN_MEMORY);
  const writer = createDirectWriter(db, IN_MEMORY);
  return {
    store: allOperations(reader, writer, options),
    messages: messageOperations(reader, writer),
    close: () => db.close(),
  };
}

function allOperations(
  reader: Reader,
  writer: Writer,
  { shards, retentionDays = 90, slotPage = 1_000 }: LayoutOptions,
): Store {
  return {
    ...definitionOperations(reader, writer),
    ...headOperations(reader, writer),
    ...holdOperations(reader, writer),
    ...timetableOperations(reader, writer, shards, slotPage),
    ...executionOperations(reader, writer, retentionDays * 86_400_000),
    ...controlOperations(reader, writer),
    ...quotaOperations(writer),
    ...noticeOperations(reader, writer),
    ...changeOperations(reader, writer),
    ...operationOperations(reader, writer),
  };
}
