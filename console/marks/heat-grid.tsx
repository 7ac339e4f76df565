// A heat map of a day, a week or an hour: the number of runs in each cell.
import type { KeyboardEvent } from 'react';
import { Figure } from './figure.tsx';
import { type GridCell, type GridSpan, gridCells, gridSentence } from './heat-grid-geometry.ts';
import { useMeasuredWidth } from './measured-width.ts';

interface HeatGridProps {
  /** Names the data in the button: "Show forecast as table". */
  readonly what: string;
  readonly span: GridSpan;
  readonly counts: readonly number[];
  /** The name of a row, such as `02:00`, by its first instant. */
  readonly rowText: (instant: number) => string;
  /** The name of a column by the first instant of its cell in the first row. Empty for columns without a name. */
  readonly columnText: (instant: number, column: number) => string;
  readonly timeText: (instant: number) => string;
  /** Runs per cell that are not in `counts`. */
  readonly base?: number;
  readonly selected?: number | undefined;
  /** Called with the index of a cell. The grid can then be used with arrow keys. */
  readonly onSelect?: (index: number) => void;
}

const LEFT = 56;
const TOP = 16;

export function HeatGrid(props: HeatGridProps) {
  const { what, span, counts, timeText, rowText, columnText, base = 0, selected, onSelect } = props;
  const cells = gridCells(span, counts);
  const { ref, width } = useMeasuredWidth();
  const cellWidth = (width - LEFT) / span.columns;
  const cellHeight = Math.min(18, Math.max(11, cellWidth * 0.8));
  const height = TOP + span.rows * cellHeight + 2;
  const chosen = selected === undefined ? undefined : cells[selected];
  const cellText = (cell: GridCell | undefined): string =>
    cell ? `${timeText(cell.from)}: ${cell.count} ${cell.count === 1 ? 'run' : 'runs'}` : '';
  const picture = (
    <svg
      ref={ref}
      className="mark"
      role="img"
      aria-label={gridSentence(cells, timeText, base)}
      viewBox={`0 0 ${width} ${height}`}
    >
      {Array.from({ length: span.columns }, (_, column) => {
        const text = columnText(span.from + column * span.cellMs, column);
        return text ? (
          <text key={text} x={LEFT + column * cellWidth} y={10}>
            {text}
          </text>
        ) : null;
      })}
      {Array.from({ length: span.rows }, (_, row) => {
        const at = span.from + row * span.columns * span.cellMs;
        return (
          <text key={at} x={LEFT - 8} y={TOP + (row + 0.5) * cellHeight + 4} textAnchor="end">
            {rowText(at)}
          </text>
        );
      })}
      {cells.map((cell, index) => (
        <Cell
          key={cell.from}
          cell={cell}
          x={LEFT + cell.column * cellWidth}
          y={TOP + cell.row * cellHeight}
          width={cellWidth - 2}
          height={cellHeight - 2}
          title={cellText(cell)}
          onClick={onSelect && (() => onSelect(index))}
        />
      ))}
      {chosen && (
        <SelectedFrame
          x={LEFT + chosen.column * cellWidth}
          y={TOP + chosen.row * cellHeight}
          width={cellWidth - 2}
          height={cellHeight - 2}
        />
      )}
    </svg>
  );
  return (
    <Figure
      what={what}
      table={() => ({
        head: ['From', 'To', 'Runs'],
        rows: cells
          .filter(({ count }) => count > 0)
          .map(({ from, to, count }) => [timeText(from), timeText(to), count]),
      })}
    >
      {onSelect ? (
        <div
          role="slider"
          tabIndex={0}
          className="mark-grid-keys"
          aria-label={`${what}, a cell by the arrow keys`}
          aria-valuemin={0}
          aria-valuemax={cells.length - 1}
          aria-valuenow={selected ?? 0}
          aria-valuetext={cellText(cells[selected ?? 0])}
          onKeyDown={(event) => moveSelection(event, span, selected, onSelect)}
        >
          {picture}
        </div>
      ) : (
        picture
      )}
    </Figure>
  );
}

function moveSelection(
  event: KeyboardEvent,
  { rows, columns }: GridSpan,
  selected: number | undefined,
  onSelect: (index: number) => void,
): void {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
  };
  const step = steps[event.key] ?? (event.key === 'Enter' ? 0 : undefined);
  if (step === undefined) return;
  event.preventDefault();
  const next = selected === undefined ? 0 : selected + step;
  if (next >= 0 && next < rows * columns) onSelect(next);
}

interface FrameProps {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A gap and a line around a cell, which are visible beside cells of every level. */
const SelectedFrame = ({ x, y, width, height }: FrameProps) => (
  <g pointerEvents="none">
    <rect className="mark-gap" x={x - 1} y={y - 1} width={width + 2} height={height + 2} rx={2} />
    <rect className="mark-chosen" x={x - 3} y={y - 3} width={width + 6} height={height + 6} rx={3} />
  </g>
);

interface CellProps {
  readonly cell: GridCell;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly onClick: (() => void) | undefined;
}

const Cell = ({ cell, x, y, width, height, title, onClick }: CellProps) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: the grid handles the arrow keys
  <g onClick={onClick}>
    <title>{title}</title>
    <rect className={`mark-level-${cell.level}`} x={x} y={y} width={width} height={height} rx={1.5} />
  </g>
);
