// Params, results and errors as text: folded above 40 lines, cut above 64 KB.
export const FOLDED_LINES = 40;
export const MAX_SHOWN_BYTES = 64 * 1024;

export interface PayloadText {
  readonly text: string;
  /** The number of lines of the whole text. */
  readonly lines: number;
  /** The first lines. Undefined if the text has at most 40. */
  readonly folded: string | undefined;
  /** True if the text is longer than 64 KB, so that `text` has its beginning only. */
  readonly isCut: boolean;
  /** The whole text, for the download. */
  readonly whole: string;
}

export function payloadText(value: unknown): PayloadText {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? 'undefined');
  const isCut = whole.length > MAX_SHOWN_BYTES;
  const text = isCut ? whole.slice(0, MAX_SHOWN_BYTES) : whole;
  const shown = text.split('\n');
  const folded = shown.length > FOLDED_LINES ? shown.slice(0, FOLDED_LINES).join('\n') : undefined;
  return { text, lines: isCut ? whole.split('\n').length : shown.length, folded, isCut, whole };
}
