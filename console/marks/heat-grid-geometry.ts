// The geometry of a heat map of one span of time: rows of equal length, divided into cells of equal length.
import { levelOf } from './scales.ts';

export interface GridSpan {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly rows: number;
  readonly columns: number;
  /** The length of a cell in milliseconds. */
  readonly cellMs: number;
}

export interface GridCell {
  readonly row: number;
  readonly column: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** 0 to 5, on a square-root scale. */
  readonly level: number;
}

export const endOf = ({ from, rows, columns, cellMs }: GridSpan): number => from + rows * columns * cellMs;

/** The number of instants in each cell. Instants outside of the span are left out. */
export function countsOf(span: GridSpan, instants: Iterable<number>): number[] {
  const counts = new Array<number>(span.rows * span.columns).fill(0);
  for (const instant of instants) {
    const index = Math.floor((instant - span.from) / span.cellMs);
    if (index >= 0 && index < counts.length) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

/** `counts` has a number for each cell, row by row. */
export function gridCells(span: GridSpan, counts: readonly number[]): GridCell[] {
  const max = Math.max(0, ...counts);
  return counts.map((count, index) => ({
    row: Math.floor(index / span.columns),
    column: index % span.columns,
    from: span.from + index * span.cellMs,
    to: span.from + (index + 1) * span.cellMs,
    count,
    level: levelOf(count, max),
  }));
}

/** The cell with the most runs. Undefined if there are none. */
export const fullest = (cells: readonly GridCell[]): GridCell | undefined =>
  cells.reduce<GridCell | undefined>(
    (best, cell) => (cell.count > (best?.count ?? 0) ? cell : best),
    undefined,
  );

/** `base` is the number of runs in each cell that are left out of the counts: jobs that run more often than once a minute. */
export function gridSentence(
  cells: readonly GridCell[],
  timeText: (instant: number) => string,
  base = 0,
): string {
  const total = cells.reduce((sum, { count }) => sum + count, 0);
  const most = fullest(cells);
  return [
    `${total} ${total === 1 ? 'run' : 'runs'}`,
    ...(most ? [`at most ${most.count} from ${timeText(most.from)} to ${timeText(most.to)}`] : []),
    ...(base > 0
      ? [`and about ${Math.round(base)} in each cell by jobs that run more often than once a minute`]
      : []),
  ].join(', ');
}
