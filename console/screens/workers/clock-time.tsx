// The time of day of an instant near now, with its zone. The tooltip has the whole instant.
import { timeText } from '../../parts/time-text.ts';
import { useZone } from '../../parts/zone.tsx';

export function ClockTime({ at }: { at: string | undefined }) {
  const { zone } = useZone();
  if (at === undefined) return <>–</>;
  const text = timeText(Date.parse(at), zone);
  return (
    <time className="time" dateTime={at} title={at}>
      {text.time} <span className="time-zone">{text.zone}</span>
    </time>
  );
}
