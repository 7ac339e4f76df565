// Instants as text in a time zone, always with the zone.
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string, milliseconds: boolean): Intl.DateTimeFormat {
  const key = `${zone} ${milliseconds}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(milliseconds && { fractionalSecondDigits: 3 }),
    timeZoneName: 'short',
  });
  formats.set(key, format);
  return format;
}

export interface TimeText {
  /** Such as "18 Nov 2026". */
  readonly date: string;
  /** Such as "10:57:36". */
  readonly time: string;
  /** Such as "UTC", "CET" or "GMT+5:30". */
  readonly zone: string;
}

/** An unknown zone is shown as UTC, and says so. */
export function timeText(at: number, zone: string, { milliseconds = false } = {}): TimeText {
  const parts = Object.fromEntries(
    formatIn(zone, milliseconds)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const fraction = milliseconds ? `.${parts.fractionalSecond}` : '';
  return {
    date: `${parts.day} ${parts.month?.replace('Sept', 'Sep')} ${parts.year}`,
    time: `${parts.hour}:${parts.minute}:${parts.second}${fraction}`,
    zone: parts.timeZoneName ?? zone,
  };
}

/** In one text: "18 Nov 2026, 10:57:36 CET". */
export function instantText(at: number, zone: string): string {
  const { date, time, zone: name } = timeText(at, zone);
  return `${date}, ${time} ${name}`;
}

function formatIn(zone: string, milliseconds: boolean): Intl.DateTimeFormat {
  try {
    return formatOf(/^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone, milliseconds);
  } catch {
    return formatOf('UTC', milliseconds);
  }
}
