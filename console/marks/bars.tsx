// Counts per minute as bars, drawn for the width of the page.
import { type Bar, placeBars, totalOf } from './bars-geometry.ts';
import { Figure } from './figure.tsx';
import { useMeasuredWidth } from './measured-width.ts';

interface BarsProps {
  /** Names the data in the button: "Show executions per minute as table". */
  readonly what: string;
  /** The picture as a sentence. */
  readonly sentence: string;
  readonly bars: readonly Bar[];
  /** The names of the parts of a bar, in their order. */
  readonly names: readonly string[];
  /** The text of a minute in the zone of the page. */
  readonly timeText: (instant: number) => string;
  /** The number of minutes that the picture has place for. Default: the number of bars. */
  readonly slots?: number;
}

const HEIGHT = 132;
const LEFT = 40;
const MINUTE_MS = 60_000;

export function Bars({ what, sentence, bars, names, timeText, slots = bars.length }: BarsProps) {
  const { ref, width } = useMeasuredWidth();
  const box = { left: LEFT, right: width - 4, top: 12, bottom: HEIGHT - 22 };
  const placed = placeBars(bars, box, slots);
  const first = bars[0];
  const last = bars.at(-1);
  return (
    <Figure
      what={what}
      table={() => ({
        head: ['Minute', ...names],
        rows: bars.map(({ at, parts }) => [timeText(at), ...parts.map(({ count }) => count)]),
      })}
    >
      <svg ref={ref} className="mark" role="img" aria-label={sentence} viewBox={`0 0 ${width} ${HEIGHT}`}>
        {[0, placed.max].map((value) => {
          const y = value === 0 ? box.bottom : box.top;
          return (
            <g key={value}>
              <line className="mark-axis" x1={box.left} x2={box.right} y1={y} y2={y} />
              <text x={LEFT - 6} y={y + 4} textAnchor="end">
                {value}
              </text>
            </g>
          );
        })}
        {placed.bars.map(({ at, x, width: barWidth, parts }, index) => (
          <g key={at}>
            <title>{barText(bars[index], names, timeText)}</title>
            <rect className="mark-hit" x={x} y={box.top} width={barWidth} height={box.bottom - box.top} />
            {parts.map(({ tone, y, height }) => (
              <rect key={tone} className={`mark-${tone}`} x={x} y={y} width={barWidth} height={height} />
            ))}
          </g>
        ))}
        {first && (
          <text x={box.left} y={HEIGHT - 6}>
            {timeText(first.at - Math.max(slots - bars.length, 0) * MINUTE_MS)}
          </text>
        )}
        {last && slots > 1 && (
          <text x={box.right} y={HEIGHT - 6} textAnchor="end">
            {timeText(last.at)}
          </text>
        )}
      </svg>
    </Figure>
  );
}

function barText(bar: Bar | undefined, names: readonly string[], timeText: (at: number) => string): string {
  if (!bar) return '';
  const parts = bar.parts.map(({ count }, index) => `${count} ${names[index]?.toLowerCase()}`);
  return `${timeText(bar.at)}: ${parts.length > 1 && totalOf(bar) === 0 ? 'none' : parts.join(', ')}`;
}
