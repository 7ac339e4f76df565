// The next times of the schedule, in its zone and in another one.
import { lengthText } from '../../../../src/domain/length-text.ts';
import { timeText } from '../../../parts/time-text.ts';
import { weekdayText } from './plan-mark.tsx';

const MINE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface TimesTableProps {
  readonly times: readonly number[];
  /** The zone of the schedule. */
  readonly zone: string;
  readonly now: number;
}

/** The zone of the user, or UTC if the schedule has the zone of the user. */
const otherZone = (zone: string): string | undefined => [MINE, 'UTC'].find((other) => other !== zone);

export function TimesTable({ times, zone, now }: TimesTableProps) {
  const other = otherZone(zone);
  return (
    <table className="edit-times">
      <caption className="only-spoken">Next runs</caption>
      <thead>
        <tr>
          <th scope="col">{zone}</th>
          {other !== undefined && <th scope="col">{other === 'UTC' ? 'UTC' : `${other} (mine)`}</th>}
          <th scope="col">In</th>
        </tr>
      </thead>
      <tbody>
        {times.map((at) => (
          <tr key={at}>
            <td>
              <LocalTime at={at} zone={zone} />
            </td>
            {other !== undefined && (
              <td>
                <LocalTime at={at} zone={other} isShort />
              </td>
            )}
            <td>{at <= now ? 'now' : lengthText(at - now)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LocalTime({ at, zone, isShort = false }: { at: number; zone: string; isShort?: boolean }) {
  const { date, time, zone: name } = timeText(at, zone);
  const iso = new Date(at).toISOString();
  const [weekday] = weekdayText(at, zone).split(' ');
  return (
    <time dateTime={iso} title={iso} className="time">
      {isShort ? `${weekday} ${time}` : `${weekday}, ${date}, ${time}`}{' '}
      <span className="time-zone">{name}</span>
    </time>
  );
}
