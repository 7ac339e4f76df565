// Truncates texts and marks the place with `…`, so that redaction finds secrets that were cut in two.
export const CUT = '…';

export const truncateEnd = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}${CUT}`;

/** `isCut`: the text was truncated before. */
export const truncateStart = (text: string, maxLength: number, isCut = false): string =>
  text.length <= maxLength && !isCut ? text : `${CUT}${text.slice(-maxLength)}`;
