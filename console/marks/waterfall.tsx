// The waterfall of one execution: from the queue to the end of the last attempt. The due time is the zero line.
import { lengthText } from '../../src/domain/length-text.ts';
import { Figure } from './figure.tsx';
import { useMeasuredWidth } from './measured-width.ts';
import {
  fromZero,
  type WaterfallBar,
  type WaterfallExecution,
  waterfall,
  waterfallSentence,
} from './waterfall-geometry.ts';

interface WaterfallProps {
  readonly execution: WaterfallExecution;
  /** The present, for a bar that has not ended. */
  readonly now: number;
}

const LEFT = 72;
/** The room for the length of a bar that ends at the right. */
const LENGTH_ROOM = 84;
/** An approximation that is good enough for a gap beside a text. */
const CHARACTER_WIDTH = 6.5;
const ROW = 26;
const TOP = 22;

export function WaterfallMark({ execution, now }: WaterfallProps) {
  const { ref, width } = useMeasuredWidth();
  const picture = waterfall(execution, now, { left: LEFT, right: width - LENGTH_ROOM });
  const { bars, rows, zero, scale } = picture;
  const bottom = TOP + Math.max(rows, 1) * ROW;
  const zeroX = scale.x(zero);
  return (
    <Figure
      what="waterfall"
      table={() => ({
        head: ['Phase', 'From due', 'Took'],
        rows: bars.map(({ label, from, to, ended }) => [
          label,
          fromZero(from, zero),
          `${lengthText(to - from)}${ended ? '' : ' so far'}`,
        ]),
      })}
    >
      <svg
        ref={ref}
        className="mark"
        role="img"
        aria-label={waterfallSentence(picture)}
        viewBox={`0 0 ${width} ${bottom + 8}`}
      >
        {bars.map((bar) => (
          <Bar key={`${bar.row} ${bar.label}`} bar={bar} x1={scale.x(bar.from)} x2={scale.x(bar.to)} />
        ))}
        {scale.breaks.map(({ x, from, to }) => (
          <g key={x}>
            <title>{`${lengthText(to - from)}, not to scale`}</title>
            <path className="mark-break" d={`M${x - 4} ${TOP - 2}V${bottom}M${x + 2} ${TOP - 2}V${bottom}`} />
            <text x={x} y={TOP - 8} textAnchor="middle">
              {lengthText(to - from)}
            </text>
          </g>
        ))}
        <line className="mark-zero" x1={zeroX} x2={zeroX} y1={14} y2={bottom} />
        <text x={zeroX} y={10} textAnchor="middle">
          due
        </text>
        {/* Last, because a length may stand on a break. */}
        {bars.map((bar) => (
          <Length key={`${bar.row} ${bar.label}`} bar={bar} x1={scale.x(bar.from)} x2={scale.x(bar.to)} />
        ))}
      </svg>
    </Figure>
  );
}

interface PlacedBar {
  readonly bar: WaterfallBar;
  readonly x1: number;
  readonly x2: number;
}

/** A bar of no length is visible. */
const widthOf = ({ x1, x2 }: PlacedBar): number => Math.max(x2 - x1, 2);

function Bar({ bar, x1, x2 }: PlacedBar) {
  const y = TOP + bar.row * ROW;
  const width = widthOf({ bar, x1, x2 });
  const isBackoff = bar.kind === 'backoff';
  return (
    <g className={`mark-${bar.tone}`}>
      <title>{`${bar.label}: ${bar.text}`}</title>
      {!isBackoff && (
        <text x={LEFT - 10} y={y + 15} textAnchor="end">
          {bar.label}
        </text>
      )}
      {isBackoff ? (
        <line
          className="mark-dotted"
          x1={Math.min(x1 + backoffGap(bar), x2)}
          x2={x2}
          y1={y + 11}
          y2={y + 11}
        />
      ) : (
        <rect x={x1} y={y + 4} width={width} height={14} rx={2} className={bar.ended ? '' : 'mark-open'} />
      )}
      {/* A failed attempt ends with a cross, so that the colour is not the only sign. */}
      {bar.kind === 'attempt' && bar.tone === 'bad' && (
        <path className="mark-stroke" d={`M${x1 + width + 3} ${y + 7}l8 8m0 -8l-8 8`} />
      )}
    </g>
  );
}

/** The length of a bar, behind its end. Its background hides the lines of a break. */
function Length(placed: PlacedBar) {
  const { bar, x1 } = placed;
  if (bar.kind === 'backoff') return null;
  return (
    <text
      className="mark-over"
      x={x1 + widthOf(placed) + (bar.tone === 'bad' ? 16 : 6)}
      y={TOP + bar.row * ROW + 15}
    >
      {bar.ended ? bar.text : `${bar.text} …`}
    </text>
  );
}

/** The line of a back-off begins after the cross and the length of its attempt. */
const backoffGap = ({ attemptText = '' }: WaterfallBar): number => 22 + attemptText.length * CHARACTER_WIDTH;
