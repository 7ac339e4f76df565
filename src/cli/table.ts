// Text in columns, cut to the width of the terminal. Control characters in names are printed as dots, because they could
// change the terminal.
import { withoutControls } from '../domain/terminal-text.ts';

export interface Column {
  readonly title: string;
  readonly right?: boolean;
  /** Whether cells may be cut if the terminal is narrow. Ids are never cut, because people copy them. */
  readonly flexible?: boolean;
  /** If the columns do not fit, those with a `dropOrder` are left out, highest number first. */
  readonly dropOrder?: number;
}

const GAP = '  ';
const MIN_FLEXIBLE_WIDTH = 8;

export function table(
  allColumns: readonly Column[],
  allRows: readonly (readonly (string | undefined)[])[],
  width: number,
): string[] {
  const kept = keptColumns(allColumns, allRows, width);
  const columns = allColumns.filter((_, i) => kept.has(i));
  const rows = allRows.map((row) => row.filter((_, i) => kept.has(i)));
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => row.map((cell) => withoutControls(cell ?? ''))),
  ];
  const widths = narrowed(
    columns,
    columns.map((_, i) => Math.max(...lines.map((line) => widthOf(line[i] ?? '')))),
    width,
  );
  return lines.map((line) =>
    line
      .map((cell, i) => pad(cut(cell, widths[i] ?? 0), widths[i] ?? 0, columns[i]?.right ?? false))
      .join(GAP)
      .trimEnd(),
  );
}

/** Lines of `name  value`. Long values are cut; undefined and empty ones are left out. */
export function fields(pairs: readonly (readonly [string, string | undefined])[], width: number): string[] {
  const present = pairs.filter(([, value]) => value !== undefined && value !== '');
  const left = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(
    ([name, value]) =>
      `${name.padEnd(left)}${GAP}${cut(withoutControls(value ?? ''), Math.max(MIN_FLEXIBLE_WIDTH, width - left - 2))}`,
  );
}

/** The indexes of the columns that fit if the flexible ones have their minimum width. */
function keptColumns(
  columns: readonly Column[],
  rows: readonly (readonly (string | undefined)[])[],
  width: number,
): ReadonlySet<number> {
  const kept = new Set(columns.keys());
  const minWidths = columns.map(({ title, flexible }, i) => {
    const widest = Math.max(widthOf(title), ...rows.map((row) => widthOf(withoutControls(row[i] ?? ''))));
    return flexible ? Math.min(MIN_FLEXIBLE_WIDTH, widest) : widest;
  });
  const total = () => [...kept].reduce((sum, i) => sum + (minWidths[i] ?? 0), GAP.length * (kept.size - 1));
  const droppable = [...columns.keys()]
    .filter((i) => columns[i]?.dropOrder !== undefined)
    .sort((a, b) => (columns[b]?.dropOrder ?? 0) - (columns[a]?.dropOrder ?? 0));
  for (const i of droppable) if (total() > width) kept.delete(i);
  return kept;
}

/** Narrows the widest flexible column until the line fits or all have their minimum width. */
function narrowed(columns: readonly Column[], wanted: readonly number[], width: number): number[] {
  const widths = [...wanted];
  const total = () => widths.reduce((sum, w) => sum + w, 0) + GAP.length * (widths.length - 1);
  while (total() > width) {
    const flexible = widths
      .map((w, i) => (columns[i]?.flexible ? w : 0))
      .map((w, i) => ({ w, i }))
      .sort((a, b) => b.w - a.w);
    const [widest, second] = flexible;
    if (!widest || widest.w <= MIN_FLEXIBLE_WIDTH) break;
    const target = Math.max(
      MIN_FLEXIBLE_WIDTH,
      widest.w - (total() - width),
      Math.min(widest.w - 1, second?.w ?? 0),
    );
    widths[widest.i] = target;
  }
  return widths;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

const segmenter = new Intl.Segmenter('en');
const charactersOf = (text: string): string[] =>
  /^[\x20-\x7e]*$/.test(text)
    ? text.split('')
    : Array.from(segmenter.segment(text), ({ segment }) => segment);

const widthOf = (text: string): number =>
  charactersOf(text).reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 1; // the ellipsis
  for (const character of charactersOf(text)) {
    used += widthOf(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? space + text : text + space;
}
