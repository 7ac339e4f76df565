// Removes the packages from a source map. Their part is ten times as large as this project's own.
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

interface SourceMap {
  readonly version: number;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/** The map without the sources for which `isForeign` is true, and without names. Undefined if no source is left. */
export function withoutForeign(
  map: SourceMap,
  isForeign: (source: string) => boolean,
): SourceMap | undefined {
  const kept = map.sources.flatMap((source, index) => (isForeign(source) ? [] : [index]));
  if (kept.length === 0) return undefined;
  const newIndexOf = new Map(kept.map((index, position) => [index, position]));

  const mappings = decode(map.mappings).map((line) => {
    const segments: SourceMapSegment[] = [];
    for (const [column, source, sourceLine, sourceColumn] of line) {
      const index = source === undefined ? undefined : newIndexOf.get(source);
      if (index !== undefined) segments.push([column, index, sourceLine ?? 0, sourceColumn ?? 0]);
      // one segment without a source ends the segment before it
      else if ((segments.at(-1)?.length ?? 1) > 1) segments.push([column]);
    }
    return segments;
  });
  return {
    version: map.version,
    sources: kept.map((index) => map.sources[index] ?? ''),
    names: [],
    mappings: encode(mappings),
  };
}
