// The executions of all users that ended in the last hour, by minute.
import type { Statistics } from '../../../src/client/types.ts';
import { Bars } from '../../marks/bars.tsx';
import { useMinuteText } from '../../parts/use-minute-text.ts';

/** The statistics are those of an hour. A server that has just started knows fewer minutes. */
const MINUTES = 60;

export function Throughput({ statistics: { items } }: { statistics: Statistics }) {
  const minuteText = useMinuteText();
  const succeeded = items.reduce((sum, item) => sum + item.succeeded, 0);
  const failed = items.reduce((sum, item) => sum + item.failed, 0);
  return (
    <Bars
      what="executions per minute"
      sentence={`In the last hour, ${succeeded} executions succeeded and ${failed} failed.`}
      names={['Succeeded', 'Failed']}
      timeText={minuteText}
      slots={MINUTES}
      bars={items.map((item) => ({
        at: Date.parse(item.at),
        parts: [
          { tone: 'good', count: item.succeeded },
          { tone: 'bad', count: item.failed },
        ],
      }))}
    />
  );
}
