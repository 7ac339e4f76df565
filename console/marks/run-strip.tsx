// The run strip: the last runs of a job in one line.
import { Link } from 'wouter';
import { lengthText } from '../../src/domain/length-text.ts';
import { Figure } from './figure.tsx';
import { type Run, runStrip, runText, type StripMark, stripSentence } from './run-strip-geometry.ts';

interface RunStripProps {
  /** Newest first, as the API lists them. */
  readonly runs: readonly Run[];
  /** The number of places, 20 in a list and 100 on the page of a job. */
  readonly slots?: number;
  readonly height?: number;
  /** The execution that the page shows. */
  readonly selected?: string | undefined;
  readonly onSelect?: (executionId: string) => void;
  /** Takes the whole width of the page. On a phone it scrolls, with the newest run in view. */
  readonly fill?: boolean;
}

/** Only the picture, for a cell of a list. It shrinks with the cell and never overflows it. */
export function RunStrip({ runs, slots = 20, height = 24, selected, onSelect, fill = false }: RunStripProps) {
  const strip = runStrip(runs, slots, height);
  return (
    <svg
      className={fill ? 'mark mark-strip mark-strip-fill' : 'mark mark-strip'}
      role="img"
      aria-label={stripSentence(runs.slice(0, slots))}
      viewBox={`0 0 ${strip.width} ${strip.height}`}
      style={fill ? {} : { maxWidth: strip.width }}
      preserveAspectRatio="xMaxYMid meet"
    >
      <line
        className="mark-axis"
        x1={0}
        x2={strip.width}
        y1={strip.baseline + 0.5}
        y2={strip.baseline + 0.5}
      />
      {strip.marks.map((mark) => (
        // The picture is one image for assistive technology. The table has the same links for the keyboard.
        // biome-ignore lint/a11y/noStaticElementInteractions: the table of the figure has links
        <g
          key={mark.run.id}
          className={`mark-${mark.tone}${mark.run.id === selected ? ' mark-selected' : ''}`}
          style={onSelect && { cursor: 'pointer' }}
          onClick={onSelect && (() => onSelect(mark.run.id))}
        >
          <title>{runText(mark.run)}</title>
          <rect className="mark-hit" x={mark.x - 1} y={0} width={mark.width + 2} height={strip.height} />
          <Bar {...mark} />
          {mark.cap && <rect x={mark.x} y={mark.y - 3} width={mark.width} height={2} />}
          {mark.cross && <Cross x={mark.x} y={strip.baseline + 1.5} />}
        </g>
      ))}
    </svg>
  );
}

function Bar({ shape, x, y, width, height }: StripMark) {
  if (shape === 'outline' || shape === 'square') {
    const inset = { x: x + 0.75, y: y + 0.75, width: width - 1.5, height: Math.max(height - 1.5, 1) };
    return <rect className="mark-hollow" {...inset} />;
  }
  if (shape === 'dot') return <circle cx={x + width / 2} cy={y + height / 2} r={1.5} />;
  if (shape === 'split') {
    const half = Math.max((height - 1.5) / 2, 1);
    return (
      <>
        <rect x={x} y={y} width={width} height={half} />
        <rect x={x} y={y + half + 1.5} width={width} height={half} />
      </>
    );
  }
  return <rect x={x} y={y} width={width} height={height} rx={shape === 'solid' ? 1 : 0} />;
}

const Cross = ({ x, y }: { x: number; y: number }) => (
  <path className="mark-stroke" d={`M${x + 1} ${y}l4 4m0 -4l-4 4`} />
);

interface RunStripFigureProps extends RunStripProps {
  /** The page of an execution, below `/console`. */
  readonly linkTo: (id: string) => string;
  /** The text of a due time in the zone of the page. */
  readonly timeText: (instant: number) => string;
}

/** The picture with its table, for the page of a job. */
export function RunStripFigure({ linkTo, timeText, ...props }: RunStripFigureProps) {
  const shown = props.runs.slice(0, props.slots ?? 20);
  return (
    <Figure
      what="runs"
      table={() => ({
        head: ['Due', 'Status', 'Late', 'Took'],
        rows: shown.map(({ id, dueAt, status, latenessMs, durationMs }) => [
          <Link key={id} href={linkTo(id)} title={dueAt}>
            {timeText(Date.parse(dueAt))}
          </Link>,
          status,
          latenessMs === undefined ? '–' : lengthText(latenessMs),
          durationMs === undefined ? '–' : lengthText(durationMs),
        ]),
      })}
    >
      {props.fill ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus
        <section className="mark-newest" tabIndex={0} aria-label="Runs">
          <RunStrip {...props} />
        </section>
      ) : (
        <RunStrip {...props} />
      )}
    </Figure>
  );
}
