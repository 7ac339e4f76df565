// Lines and columns of a YAML document, for error messages.
import { type Document, isCollection, isMap, isNode, isPair, isScalar, type LineCounter } from 'yaml';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export type Path = readonly (string | number)[];

/** The position of the value at `path`, or of the nearest thing around it that exists. `key`: the position of its key. */
export function positionOf(doc: Document.Parsed, lines: LineCounter, path: Path, key = false): Position {
  let node: unknown = doc.contents;
  let offset = offsetOf(node) ?? 0;
  for (const [i, part] of path.entries()) {
    const isLast = i === path.length - 1;
    // a text that stands for an object, such as the pattern of a schedule
    if (isScalar(node)) offset = offsetOf(node) ?? offset;
    if (!isCollection(node)) break;
    const pair = isMap(node)
      ? node.items.find(({ key: name }) => (isScalar(name) ? String(name.value) : name) === String(part))
      : node.items[Number(part)];
    if (pair === undefined) break;
    const value = isPair(pair) ? pair.value : pair;
    const keyOffset = isPair(pair) ? offsetOf(pair.key) : undefined;
    offset = (isLast && !key ? offsetOf(value) : undefined) ?? keyOffset ?? offsetOf(value) ?? offset;
    node = value;
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

/** The parts of a path in text, such as `schedule.cron` or `notify[0].on`. */
export const pathParts = (text: string): (string | number)[] =>
  [...text.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
