// The time of day of a minute, in the zone of the page.
import { timeText } from './time-text.ts';
import { useZone } from './zone.tsx';

export function useMinuteText(): (at: number) => string {
  const { zone } = useZone();
  return (at) => {
    const text = timeText(at, zone);
    return `${text.time.slice(0, 5)} ${text.zone}`;
  };
}
