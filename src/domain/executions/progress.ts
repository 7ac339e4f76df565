// The progress of a running task, as the task reports it. The hold has it, and each heartbeat replaces it.

export interface Progress {
  /** From 0 to 1, with at most 3 decimals. */
  readonly fraction: number;
  readonly text?: string;
  /** The time of the report. Epoch milliseconds. */
  readonly at: number;
}

/** The characters of a text. It is part of the head, which stays below 1 KB. */
export const MAX_PROGRESS_TEXT = 100;

/** The reason why a report is refused. Undefined if it is valid. */
export function progressProblem(fraction: unknown, text: unknown): string | undefined {
  if (typeof fraction !== 'number' || !(fraction >= 0 && fraction <= 1))
    return `the fraction of a progress must be a number from 0 to 1, got ${String(fraction)}`;
  if (text !== undefined && typeof text !== 'string')
    return `the text of a progress must be a string, got ${typeof text}`;
  if (text !== undefined && text.length > MAX_PROGRESS_TEXT)
    return `the text of a progress may have ${MAX_PROGRESS_TEXT} characters; this one has ${text.length}`;
  return undefined;
}

/** A valid report. Three decimals show a tenth of a percent. */
export const progressOf = (fraction: number, text: string | undefined, at: number): Progress => ({
  fraction: Math.round(fraction * 1000) / 1000,
  ...(text !== undefined && text !== '' && { text: text.toWellFormed() }),
  at,
});
