// The changes of clocks of a zone and the minutes around each, read through Intl. Shares no code with what it checks.
import { type Face, fromUtc } from './oracle.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** Zones with daylight saving, odd offsets, odd changes or none at all. */
export const FORTY_ZONES = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'Africa/El_Aaiun',
  'Africa/Lagos',
  'America/Anchorage',
  'America/Asuncion',
  'America/Chicago',
  'America/Havana',
  'America/Los_Angeles',
  'America/Miquelon',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/Scoresbysund',
  'America/St_Johns',
  'America/Tijuana',
  'Antarctica/Casey',
  'Antarctica/Troll',
  'Asia/Almaty',
  'Asia/Beirut',
  'Asia/Dubai',
  'Asia/Gaza',
  'Asia/Jerusalem',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tehran',
  'Asia/Tokyo',
  'Atlantic/Azores',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Europe/Chisinau',
  'Europe/Dublin',
  'Europe/London',
  'Europe/Paris',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Easter',
  'Pacific/Norfolk',
];

export interface ClockChange {
  readonly zone: string;
  /** The first minute of the new offset. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

function offsetReader(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  return (instant) => {
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(instant)) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE;
  };
}

/** All changes from the start of one year to the start of another (UTC). */
export function clockChanges(zone: string, fromYear: number, toYear: number): ClockChange[] {
  const offsetAt = offsetReader(zone);
  const changes: ClockChange[] = [];
  const end = Date.UTC(toYear, 0, 1);
  let before = offsetAt(Date.UTC(fromYear, 0, 1));
  for (let day = Date.UTC(fromYear, 0, 1); day < end; day += DAY) {
    const after = offsetAt(day + DAY);
    if (after === before) continue;
    let [low, high] = [day, day + DAY];
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ zone, at: high, from: before, to: after });
    before = after;
  }
  return changes;
}

/** The minutes from some hours before a change to some hours after. */
export function facesAround({ at, from, to }: ClockChange, hours = 26): Face[] {
  const start = at - hours * 60 * MINUTE;
  return Array.from({ length: 2 * hours * 60 }, (_, i) => {
    const instant = start + i * MINUTE;
    return { ...fromUtc(instant + (instant < at ? from : to)), instant };
  });
}
