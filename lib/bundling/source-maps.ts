// Takes the packages out of a source map: their part is ten times as large as ours, and their stacks are not ours to read.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

interface SourceMap {
  readonly version: number;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/** The map without what `isForeign`, and without names; undefined when nothing is left. */
export function withoutForeign(
  map: SourceMap,
  isForeign: (source: string) => boolean,
): SourceMap | undefined {
  const kept = map.sources.flatMap((source, index) => (isForeign(source) ? [] : [index]));
  if (kept.length === 0) return undefined;
  const newIndex = new Map(kept.map((index, position) => [index, position]));

  // every field but the column is relative to the segment before it, lines included; the column to its own line
  const from = { source: 0, line: 0, column: 0 };
  const to = { source: 0, line: 0, column: 0 };
  const mappings = map.mappings.split(';').map((line) => {
    let generated = 0;
    let written = 0;
    let ended = true;
    const segments: string[] = [];
    for (const segment of line === '' ? [] : line.split(',')) {
      const [column = 0, source, sourceLine = 0, sourceColumn = 0] = decode(segment);
      generated += column;
      if (source !== undefined) {
        from.source += source;
        from.line += sourceLine;
        from.column += sourceColumn;
      }
      const index = source === undefined ? undefined : newIndex.get(from.source);
      if (index === undefined) {
        // one segment without a source ends what came before it
        if (!ended) segments.push(encode([generated - written]));
        if (!ended) written = generated;
        ended = true;
        continue;
      }
      segments.push(
        encode([generated - written, index - to.source, from.line - to.line, from.column - to.column]),
      );
      written = generated;
      Object.assign(to, { source: index, line: from.line, column: from.column });
      ended = false;
    }
    return segments.join(',');
  });
  return {
    version: map.version,
    sources: kept.map((index) => map.sources[index] ?? ''),
    names: [],
    mappings: mappings.join(';'),
  };
}

function decode(segment: string): number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    values.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return values;
}

function encode(values: readonly number[]): string {
  return values
    .map((value) => {
      let rest = value < 0 ? (-value << 1) | 1 : value << 1;
      let text = '';
      do {
        const more = rest >>> 5 > 0 ? 32 : 0;
        text += DIGITS[(rest & 31) | more];
        rest >>>= 5;
      } while (rest > 0);
      return text;
    })
    .join('');
}
