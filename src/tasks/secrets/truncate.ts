// Cuts a text to a length and marks where something was left out, so that the redactor finds secrets that were cut in two.
export const CUT = '…';

export const truncateEnd = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}${CUT}`;

/** `cut`: something was left out before already. */
export const truncateStart = (text: string, most: number, cut = false): string =>
  text.length <= most && !cut ? text : `${CUT}${text.slice(-most)}`;
