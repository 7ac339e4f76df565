// The structured log: one JSON object per line. Lambdas, workers and local mode have the same fields, which are those of
// Powertools: `level`, `message`, `timestamp`, `service`.
import type { Logger } from '@aws-lambda-powertools/logger';
import { errorFields, loggableJson } from '../domain/loggable.ts';
import type { Log } from '../scheduling/context.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The log of a long-running process. `fields` are part of every line. */
export function createLog(
  level: LogLevel,
  fields: Record<string, unknown> = {},
  write: (line: string) => void = (line) => process.stdout.write(line),
): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const at =
    (name: LogLevel) =>
    (message: string, more: Record<string, unknown> = {}) => {
      if (LOG_LEVELS.indexOf(name) < lowest) return;
      const timestamp = new Date().toISOString();
      write(`${toJson({ level: name.toUpperCase(), message, timestamp, ...fields, ...more })}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Never throws. A line that JSON cannot represent is written without its fields. */
function toJson(line: Record<string, unknown>): string {
  try {
    return loggableJson(line);
  } catch (error) {
    const { level, message, timestamp, service } = line;
    return JSON.stringify({ level, message, timestamp, service, unloggable: String(error) });
  }
}

/** The log of a Lambda. Powertools adds `service`, the request id and other fields of the invocation. */
export function logTo(logger: Logger): Log {
  const plain = (fields: Record<string, unknown> = {}) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value instanceof Error ? errorFields(value) : value,
      ]),
    );
  return {
    debug: (message, fields) => logger.debug(message, plain(fields)),
    info: (message, fields) => logger.info(message, plain(fields)),
    warn: (message, fields) => logger.warn(message, plain(fields)),
    error: (message, fields) => logger.error(message, plain(fields)),
  };
}
