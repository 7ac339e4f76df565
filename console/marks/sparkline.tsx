// Counts in equal parts of a time range, as small bars.
interface SparklineProps {
  readonly counts: readonly number[];
  /** The text for assistive technology, such as "failures between 1 and 2 December". */
  readonly label: string;
}

const BAR = 4;
const HEIGHT = 20;

export function Sparkline({ counts, label }: SparklineProps) {
  const max = Math.max(1, ...counts);
  return (
    <svg
      className="mark mark-sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${counts.length * BAR} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <line className="mark-axis" x1={0} x2={counts.length * BAR} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {counts.map((count, index) => {
        // A count above zero is always visible.
        const height = count === 0 ? 0 : Math.max((count / max) * (HEIGHT - 2), 2);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of the range have no other identity
            key={index}
            className="mark-bad"
            x={index * BAR}
            y={HEIGHT - 1 - height}
            width={BAR - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
