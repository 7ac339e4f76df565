// A line that a task has written with `ctx.log`, and the bounds of what an embedded server keeps of an execution.
import { loggableJson } from '../loggable.ts';

export const LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LineLevel = (typeof LINE_LEVELS)[number];

export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: LineLevel;
  readonly message: string;
  /** The attempt that wrote the line. */
  readonly attempt: number;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The last lines of an execution that are kept. */
export const MAX_LINES = 200;
/** The bytes of the last lines of an execution that are kept. */
export const MAX_LINES_BYTES = 65_536;
/** The characters of a message. */
const MAX_MESSAGE = 4_000;
/** The characters of the fields of a line as JSON. Above it, they are replaced by their start and length. */
const MAX_FIELDS = 4_000;
const KEPT_OF_FIELDS = 1_000;

/** A line as it is stored: JSON, and its bytes. */
export interface EncodedLine {
  readonly record: string;
  readonly bytes: number;
}

/** Never throws. Tasks may log values that JSON cannot represent, and texts of any length. */
export function encodeLine({ at, level, message, attempt, fields }: LogLine): EncodedLine {
  const text = String(message);
  const cut = text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}…`;
  const head = JSON.stringify({ at, level, message: cut.toWellFormed(), attempt });
  const bounded = fields && fieldsText(fields);
  const record =
    bounded === undefined || bounded === '{}' ? head : `${head.slice(0, -1)},"fields":${bounded}}`;
  return { record, bytes: Buffer.byteLength(record) };
}

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  try {
    const text = loggableJson({ ...fields });
    if (text.length <= MAX_FIELDS) return text;
    const start = text.slice(0, KEPT_OF_FIELDS).toWellFormed();
    return JSON.stringify({ truncated: true, length: text.length, start });
  } catch (error) {
    return JSON.stringify({ unloggable: String(error).slice(0, KEPT_OF_FIELDS).toWellFormed() });
  }
}

export const decodeLine = (record: string): LogLine => JSON.parse(record) as LogLine;

/** Removes the oldest lines until the others are within the bounds. Returns the bytes of the others. */
export function dropOldest(lines: EncodedLine[], total: number): number {
  let bytes = total;
  let dropped = 0;
  while (lines.length - dropped > MAX_LINES || (bytes > MAX_LINES_BYTES && dropped < lines.length))
    bytes -= lines[dropped++]?.bytes ?? 0;
  if (dropped > 0) lines.splice(0, dropped);
  return bytes;
}
