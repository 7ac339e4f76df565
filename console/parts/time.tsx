// An instant, with its zone and the ISO instant as tooltip.
import { timeText } from './time-text.ts';
import { useZone } from './zone.tsx';

interface TimeProps {
  /** ISO 8601 or epoch milliseconds. Undefined is shown as a dash. */
  readonly at: string | number | undefined;
  /** The zone of the job that the time belongs to. Default: the job of the page. */
  readonly jobZone?: string | undefined;
  readonly milliseconds?: boolean;
}

export function Time({ at, jobZone, milliseconds = false }: TimeProps) {
  const { zone } = useZone(jobZone);
  if (at === undefined) return <>–</>;
  const instant = new Date(at);
  const text = timeText(instant.getTime(), zone, { milliseconds });
  const iso = instant.toISOString();
  return (
    <time className="time" dateTime={iso} title={iso}>
      {text.date}, {text.time} <span className="time-zone">{text.zone}</span>
    </time>
  );
}
