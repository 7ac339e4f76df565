// The executions that ended in each of the last minutes, as bars. The oldest is on the left. The text beside it has the numbers.
import { endedIn, type MinuteCounts } from './worker-texts.ts';

const WIDTH = 7;
const HEIGHT = 18;

export function MinuteBars({ minutes }: { minutes: readonly MinuteCounts[] }) {
  const most = Math.max(1, ...minutes.map(endedIn));
  const oldestFirst = [...minutes].reverse();
  return (
    <svg
      className="mark minute-bars"
      aria-hidden="true"
      viewBox={`0 0 ${minutes.length * WIDTH} ${HEIGHT}`}
      width={minutes.length * WIDTH}
      height={HEIGHT}
    >
      {oldestFirst.map((minute, index) => {
        const all = (endedIn(minute) / most) * (HEIGHT - 1);
        const failed = (minute.failed / most) * (HEIGHT - 1);
        const x = index * WIDTH;
        return (
          <g key={minute.at}>
            <title>{`${minute.at}: ${endedIn(minute)}, failed: ${minute.failed}`}</title>
            <rect className="mark-level-0" x={x} y={HEIGHT - 1} width={WIDTH - 2} height={1} />
            <rect className="mark-good" x={x} y={HEIGHT - all} width={WIDTH - 2} height={all} />
            <rect className="mark-bad" x={x} y={HEIGHT - failed} width={WIDTH - 2} height={failed} />
          </g>
        );
      })}
    </svg>
  );
}
