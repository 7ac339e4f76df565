// Describes `except`: ", except on 2026-12-25 and on Saturdays and Sundays".
import { parseCron } from './cron.ts';
import { FIELDS, valuesOf } from './cron-field.ts';
import { dateInWords } from './describe-days.ts';
import { joined } from './describe-fields.ts';
import { duringHours, timeInWords } from './describe-time.ts';
import type { Exclusion } from './exclusions.ts';

export const exceptInWords = (except: readonly Exclusion[] | undefined): string =>
  except === undefined ? '' : `, except ${joined(except.map(exclusionInWords))}`;

export function exclusionInWords(exclusion: Exclusion): string {
  if (typeof exclusion === 'string') return `on ${exclusion}`;
  return 'cron' in exclusion ? patternInWords(exclusion.cron) : `from ${exclusion.from} to ${exclusion.to}`;
}

/** A pattern that matches all minutes of its hours is described by its hours and days alone. */
function patternInWords(text: string): string {
  const cron = parseCron(text);
  const allSeconds = valuesOf(FIELDS.second, parseCron(text, 'all').second).length === 60;
  if (!allSeconds || valuesOf(FIELDS.minute, cron.minute).length < 60) {
    const time = timeInWords(cron);
    return `${time.text.charAt(0).toLowerCase()}${time.text.slice(1)}${dateInWords(cron, time.listed)}`;
  }
  const words = `${duringHours(valuesOf(FIELDS.hour, cron.hour))}${dateInWords(cron, false)}`.trim();
  return words === '' ? 'at all times' : words;
}
