// Describes a schedule in one English sentence: "At 09:00 on Mondays to Fridays, Europe/Paris time".
import type { Cron } from './cron.ts';
import { dateInWords } from './describe-days.ts';
import { exceptInWords } from './describe-except.ts';
import { counted, durationInWords } from './describe-fields.ts';
import { timeInWords } from './describe-time.ts';
import { durationMs } from './duration.ts';
import { exclusionsOf } from './exclusions.ts';
import { patternOf } from './pattern.ts';
import type { FixedRate, Schedule } from './schedule-schema.ts';

export function describeSchedule(schedule: Schedule): string {
  if ('at' in schedule) {
    const since = schedule.in === undefined ? '' : ` (${schedule.in} after it was created)`;
    return `Once, at ${schedule.at}${since}${inZone(schedule.timezone)}`;
  }
  const { startAt, endAt, except, jitterSeconds } = schedule;
  const until = endAt === undefined ? '' : `, until ${endAt}`;
  const delay = jitterSeconds ? `, each run delayed by up to ${counted(jitterSeconds, 'second')}` : '';
  if ('every' in schedule) {
    const rate = durationInWords(durationMs(schedule.every, 'schedule.every'));
    return `Every ${rate}, counted from ${startAt}${until}${exceptOfRate(schedule)}${delay}`;
  }
  const cron = patternOf(schedule);
  const from = startAt === undefined ? '' : `, from ${startAt}`;
  return `${patternInWords(cron)}${inZone(schedule.timezone)}${from}${until}${exceptInWords(except)}${delay}`;
}

/** The times of a rate are instants, so its timezone is named only for excluded dates and patterns. */
function exceptOfRate({ except, timezone = 'UTC' }: FixedRate): string {
  const isLocal = except !== undefined && exclusionsOf(except).local !== undefined;
  return `${exceptInWords(except)}${isLocal ? inZone(timezone).replace(/^, (.*)$/, ' ($1)') : ''}`;
}

function inZone(zone: string | undefined): string {
  if (zone === undefined) return '';
  if (zone === 'UTC') return ', UTC';
  return /^[+-]/.test(zone) ? `, UTC${zone}` : `, ${zone} time`;
}

function patternInWords(cron: Cron): string {
  const time = timeInWords(cron);
  return `${time.text}${dateInWords(cron, time.listed)}`;
}
