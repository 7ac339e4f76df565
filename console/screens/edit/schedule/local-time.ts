// A time of the form as a local date and a time of day.
import { localText } from './switch-tab.ts';

export interface LocalParts {
  readonly date: string;
  readonly time: string;
}

/** A time with an offset is shown in the zone. A local time is shown as it was typed. */
export function localParts(text: string | undefined, zone: string | undefined): LocalParts {
  const shown = hasOffset(text ?? '') ? inZone(text ?? '', zone) : (text ?? '');
  const [date = '', time = ''] = shown.split('T');
  return { date, time: time.replace(/\.\d+$/, '') };
}

const hasOffset = (text: string): boolean => /T.*(Z|[+-]\d\d:\d\d)$/.test(text);

function inZone(text: string, zone: string | undefined): string {
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? text : localText(zone ?? 'UTC', instant);
}

/** Without a zone the time is UTC. Empty if both parts are. */
export function textOfParts({ date, time }: LocalParts, zone: string | undefined): string {
  if (date === '' && time === '') return '';
  return `${date}T${time === '' ? '00:00' : time}${zone === undefined ? 'Z' : ''}`;
}
