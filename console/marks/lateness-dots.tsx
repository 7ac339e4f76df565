// The lateness dots: how late each run started, in milliseconds on a logarithmic scale.
import { lengthText } from '../../src/domain/length-text.ts';
import { Figure } from './figure.tsx';
import { type LatenessPoint, latenessPicture, latenessSentence } from './lateness-geometry.ts';
import { useMeasuredWidth } from './measured-width.ts';

interface LatenessDotsProps {
  readonly points: readonly LatenessPoint[];
  /** The text of a due time in the zone of the page. */
  readonly timeText: (instant: number) => string;
}

const HEIGHT = 220;

export function LatenessDots({ points, timeText }: LatenessDotsProps) {
  const { ref, width } = useMeasuredWidth();
  const box = { left: 52, top: 12, right: width - 12, bottom: HEIGHT - 28 };
  const { dots, ticks } = latenessPicture(points, box);
  const times = points.map(({ dueAt }) => dueAt);
  return (
    <Figure
      what="lateness"
      table={() => ({
        head: ['Due', 'Late'],
        rows: points.map(({ dueAt, latenessMs }) => [timeText(dueAt), lengthText(latenessMs)]),
      })}
    >
      <svg
        ref={ref}
        className="mark"
        role="img"
        aria-label={latenessSentence(points)}
        viewBox={`0 0 ${width} ${HEIGHT}`}
      >
        {ticks.map(({ y, text }) => (
          <g key={text}>
            <line className="mark-axis" x1={box.left} x2={box.right} y1={y} y2={y} />
            <text x={box.left - 6} y={y + 4} textAnchor="end">
              {text}
            </text>
          </g>
        ))}
        {dots.map(({ id, x, y, late, dueAt, latenessMs }) => (
          <g key={id} className={late ? 'mark-late' : 'mark-good'}>
            <title>{`${timeText(dueAt)}: ${lengthText(latenessMs)} late`}</title>
            {/* A late start is a triangle, so that the colour is not the only sign. */}
            {late ? <path d={`M${x} ${y - 5}l5 8h-10z`} /> : <circle cx={x} cy={y} r={3} />}
          </g>
        ))}
        {times.length > 0 && (
          <>
            <text x={box.left} y={HEIGHT - 6}>
              {timeText(Math.min(...times))}
            </text>
            {times.length > 1 && (
              <text x={box.right} y={HEIGHT - 6} textAnchor="end">
                {timeText(Math.max(...times))}
              </text>
            )}
          </>
        )}
      </svg>
    </Figure>
  );
}
