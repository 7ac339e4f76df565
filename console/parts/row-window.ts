// Which rows of a long list are rendered, and how the rows of a list are sorted.

/** Up to this number, all rows are rendered. */
export const MAX_RENDERED_AT_ONCE = 100;
/** Rows above and below the visible ones, so that scrolling by a page shows no gap. */
const OVERSCAN = 20;

export interface RowWindow {
  /** The index of the first rendered row. */
  readonly first: number;
  /** The index after the last rendered row. */
  readonly end: number;
}

interface Visible {
  readonly count: number;
  readonly rowHeight: number;
  /** The distance from the first row down to the top of the visible part. Negative if rows begin below it. */
  readonly scrolled: number;
  readonly viewHeight: number;
}

export function rowWindow({ count, rowHeight, scrolled, viewHeight }: Visible): RowWindow {
  if (count <= MAX_RENDERED_AT_ONCE || rowHeight <= 0) return { first: 0, end: count };
  const top = Math.floor(Math.max(scrolled, 0) / rowHeight);
  const visible = Math.ceil(viewHeight / rowHeight);
  const first = Math.max(0, Math.min(top - OVERSCAN, count - visible - OVERSCAN));
  return { first, end: Math.min(count, Math.max(top, first) + visible + OVERSCAN) };
}

export type SortValue = string | number | undefined;

/** A sort as in the address: `name` or, descending, `-name`. */
export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export const sortOf = (text: string | null): Sort | undefined =>
  text ? { column: text.replace(/^-/, ''), descending: text.startsWith('-') } : undefined;

export const sortText = ({ column, descending }: Sort): string => `${descending ? '-' : ''}${column}`;

/** The sort after a click on a column: ascending, descending, and then the order of the server. */
export function nextSort(current: Sort | undefined, column: string): Sort | undefined {
  if (current?.column !== column) return { column, descending: false };
  return current.descending ? undefined : { column, descending: true };
}

/** Rows without a value come last in both directions. Equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => SortValue,
  descending: boolean,
): readonly Row[] {
  const direction = descending ? -1 : 1;
  const compare = (a: SortValue, b: SortValue): number => {
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    const order =
      typeof a === 'number' && typeof b === 'number'
        ? a - b
        : String(a).localeCompare(String(b), 'en', { numeric: true });
    return order * direction;
  };
  return rows
    .map((row) => [sortBy(row), row] as const)
    .sort(([a], [b]) => compare(a, b))
    .map(([, row]) => row);
}
