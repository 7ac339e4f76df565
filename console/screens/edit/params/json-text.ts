// JSON as text in an editor.
export interface ParsedJson {
  readonly value?: unknown;
  /** Undefined if the text is JSON. */
  readonly error?: string;
}

/** An empty text is no value. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `is not JSON: ${plainReason(error, text)}` };
  }
}

/** Browsers write the position as a character number or as line and column. The line is what people look for. */
function plainReason(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  const reason = message.replace(/^JSON\.parse: /, '').replace(/ (in JSON )?at position.*$/, '');
  if (position === undefined) return reason;
  const lines = text.slice(0, Number(position)).split('\n');
  return `${reason}, line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

export const jsonText = (value: unknown): string =>
  value === undefined ? '' : JSON.stringify(value, undefined, 2);
