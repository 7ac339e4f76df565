// An ISO 8601 duration as a number and a unit.
import { DAY, durationMs, HOUR, MINUTE, SECOND } from '../../../../src/domain/schedule/duration.ts';

export const UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const;
export type Unit = (typeof UNITS)[number];

const SIZES: Record<Unit, number> = {
  seconds: SECOND,
  minutes: MINUTE,
  hours: HOUR,
  days: DAY,
  weeks: 7 * DAY,
};

export interface DurationParts {
  /** The text of the number field. */
  readonly count: string;
  readonly unit: Unit;
}

/** The largest unit of which the duration has a whole number. A text that is not a duration stays as it is. */
export function partsOf(text: string): DurationParts {
  const ms = msOf(text);
  if (ms === undefined) {
    const [, count = text, letter = ''] = /^PT?(.*?)([WDHMS])$/.exec(text) ?? [];
    const unit = UNITS.find((one) => one[0]?.toUpperCase() === letter);
    return { count, unit: unit ?? 'minutes' };
  }
  // Weeks only if the text has them: "7 days" is the more common name.
  const unit = /W$/.test(text)
    ? 'weeks'
    : (['days', 'hours', 'minutes'] as const).find((one) => ms > 0 && ms % SIZES[one] === 0);
  const found = unit ?? 'seconds';
  return { count: String(ms / SIZES[found]), unit: found };
}

/** A count that is no number makes a text that is no duration, which the engine refuses. */
export function durationOf({ count, unit }: DurationParts): string {
  const number = count.trim();
  const isFraction = /^\d*\.\d+$/.test(number);
  if (isFraction && unit !== 'seconds') {
    const seconds = (Number(number) * SIZES[unit]) / SECOND;
    return `PT${Number(seconds.toFixed(3))}S`;
  }
  const letter = unit[0]?.toUpperCase() ?? '';
  return unit === 'days' || unit === 'weeks' ? `P${number}${letter}` : `PT${number}${letter}`;
}

/** The shortest text of a number of milliseconds. */
export function durationText(ms: number): string {
  const unit = (['days', 'hours', 'minutes'] as const).find((one) => ms % SIZES[one] === 0) ?? 'seconds';
  return durationOf({ count: String(ms / SIZES[unit]), unit });
}

export function msOf(text: string): number | undefined {
  try {
    return durationMs(text, '');
  } catch {
    return undefined;
  }
}
