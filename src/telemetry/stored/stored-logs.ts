// The log lines that a server of one process keeps itself.
import { decodeLine } from '../../domain/executions/log-line.ts';
import { invalidCursor } from '../../store/cursors.ts';
import type { LogLineStore } from '../../store/log-lines.ts';
import type { ExecutionLogs } from '../execution-logs.ts';
import type { LogBuffer } from './log-buffer.ts';

export function createStoredLogs(store: LogLineStore, buffer: LogBuffer): ExecutionLogs {
  return {
    delayMs: 0,
    async read(key, { limit, cursor = '0' }) {
      if (!/^\d{1,15}$/.test(cursor)) throw invalidCursor();
      await buffer.flush(key);
      const found = await store.readLines(key, Number(cursor), limit + 1);
      const items = found.slice(0, limit).map(({ n, record }) => ({ id: String(n), ...decodeLine(record) }));
      const last = items.at(-1);
      return { items, ...(found.length > limit && last && { nextCursor: last.id }) };
    },
  };
}
