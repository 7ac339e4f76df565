// The calendar: a year of planned and past runs, with the days on which clocks change.
import {
  type CalendarCell,
  type CalendarInput,
  calendarPicture,
  calendarSentence,
  cellText,
  dateText,
} from './calendar-geometry.ts';
import { Figure } from './figure.tsx';

const STEP = 13;
const CELL = 11;
const LEFT = 28;
const TOP = 18;
const WEEKDAYS = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'];

export function CalendarMark(input: CalendarInput) {
  const { columns, cells, months } = calendarPicture(input);
  const width = LEFT + columns * STEP + 12;
  const height = TOP + 7 * STEP + 2;
  return (
    <Figure
      what="calendar"
      table={() => ({
        head: ['Date', 'Runs', 'Failed', 'Clocks'],
        rows: cells
          .filter(({ count, clockChange }) => count > 0 || clockChange !== undefined)
          .map(({ day, count, failed, clockChange }) => [dateText(day), count, failed, clockChange ?? '']),
      })}
    >
      {/* On a phone the picture keeps a legible size and scrolls. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus */}
      <section className="mark-wide" tabIndex={0} aria-label="Calendar of runs">
        <svg
          className="mark mark-calendar"
          role="img"
          aria-label={calendarSentence(cells)}
          viewBox={`0 0 ${width} ${height}`}
          style={{ maxWidth: width * 1.4 }}
        >
          {months.map(({ column, text }) => (
            <text key={text} x={LEFT + column * STEP} y={11}>
              {text}
            </text>
          ))}
          {WEEKDAYS.map(
            (name, row) =>
              name && (
                <text key={name} x={0} y={TOP + row * STEP + 9}>
                  {name}
                </text>
              ),
          )}
          {cells.map((cell) => (
            <Day key={cell.day} cell={cell} isToday={cell.day === input.today} />
          ))}
        </svg>
      </section>
      {cells.some(({ clockChange }) => clockChange !== undefined) && <ClockLegend />}
    </Figure>
  );
}

const ClockLegend = () => (
  <p className="mark-legend">
    <svg viewBox="0 0 13 13" width="13" height="13" aria-hidden="true" className="mark">
      <rect className="mark-changed" x="1" y="1" width="11" height="11" rx="2" />
      <path className="mark-change-sign" d="M13 0h-6l6 6z" />
    </svg>
    Clocks change
  </p>
);

function Day({ cell, isToday }: { cell: CalendarCell; isToday: boolean }) {
  const x = LEFT + cell.column * STEP;
  const y = TOP + cell.row * STEP;
  return (
    <g className={cell.failed > 0 ? 'mark-bad' : undefined}>
      <title>{cellText(cell)}</title>
      <rect
        className={cell.failed > 0 ? '' : `mark-level-${cell.level}`}
        x={x}
        y={y}
        width={CELL}
        height={CELL}
        rx={2}
      />
      {cell.failed > 0 && <path className="mark-cross" d={`M${x + 3} ${y + 3}l5 5m0 -5l-5 5`} />}
      {cell.clockChange !== undefined && (
        <>
          <rect className="mark-changed" x={x - 0.5} y={y - 0.5} width={CELL + 1} height={CELL + 1} rx={2} />
          {/* The corner tells the day from others without colour. */}
          <path className="mark-change-sign" d={`M${x + CELL + 1} ${y - 1}h-6l6 6z`} />
        </>
      )}
      {isToday && (
        <rect className="mark-today" x={x - 0.5} y={y - 0.5} width={CELL + 1} height={CELL + 1} rx={2} />
      )}
    </g>
  );
}
