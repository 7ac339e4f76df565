// Limits repeated warnings and errors. Within a minute only the first of equal lines is written, then one line with the count.
// Otherwise an outage of the store would write thousands of equal lines.
import type { Log } from '../scheduling/context.ts';

const WINDOW_MS = 60_000;

interface Window {
  repeated: number;
  last?: Record<string, unknown>;
}

/** With more different lines than this within a minute, further ones are not limited. */
const MAX_WINDOWS = 1_000;

/**
 * `debug` and `info` are not limited. Two lines are equal if level, message and kind of error are equal. Lines with a request id
 * are always written, because the response to that request refers to the log. Lines with a user id are always written,
 * because a task of that user has written them.
 */
export function limitRepeats(log: Log): Log {
  const windows = new Map<string, Window>();
  const limited =
    (level: 'warn' | 'error') =>
    (message: string, fields?: Record<string, unknown>): void => {
      if (fields?.requestId !== undefined || fields?.userId !== undefined) {
        log[level](message, fields);
        return;
      }
      const key = `${level} ${message} ${kindOf(fields?.error)}`;
      const open = windows.get(key);
      if (open) {
        open.repeated++;
        open.last = fields;
        return;
      }
      log[level](message, fields);
      if (windows.size >= MAX_WINDOWS) return;
      const timer = setTimeout(() => {
        const { repeated = 0, last } = windows.get(key) ?? {};
        windows.delete(key);
        if (repeated > 0) log[level](message, { ...last, repeated, withinSeconds: WINDOW_MS / 1000 });
      }, WINDOW_MS);
      timer.unref();
      windows.set(key, { repeated: 0 });
    };
  return { debug: log.debug, info: log.info, warn: limited('warn'), error: limited('error') };
}

/** The name of an error, or the first word of a text. */
const kindOf = (error: unknown): string =>
  error instanceof Error ? error.name : (String(error ?? '').split(/[\s:]/, 1)[0] ?? '');
