// The fields of a cron pattern with their names, for the legend under the text.
export interface CronPart {
  readonly name: string;
  readonly text: string;
}

const FIVE = ['minute', 'hour', 'day', 'month', 'weekday'];

/** Empty if the text is a nickname, a rate or a time, which have no fields. Missing fields have an empty text. */
export function cronParts(pattern: string): CronPart[] {
  const text = pattern.trim();
  if (/^@|^(rate|at)\s*\(/i.test(text)) return [];
  const [, aws] = /^cron\s*\((.*?)\)?$/i.exec(text) ?? [];
  const fields = (aws ?? text).split(/\s+/).filter((field) => field !== '');
  const names = aws === undefined ? namesOf(fields.length) : [...FIVE, 'year'];
  return names.map((name, index) => ({ name, text: fields[index] ?? '' }));
}

function namesOf(count: number): string[] {
  if (count <= 5) return FIVE;
  return count === 6 ? ['second', ...FIVE] : ['second', ...FIVE, 'year'];
}

export const CRON_EXAMPLES: readonly { readonly text: string; readonly cron: string }[] = [
  { text: 'Every 5 minutes', cron: '*/5 * * * *' },
  { text: 'Every hour', cron: '0 * * * *' },
  { text: 'Every day at 02:30', cron: '30 2 * * *' },
  { text: 'Weekdays at 09:00', cron: '0 9 * * MON-FRI' },
  { text: 'Mondays at 08:00', cron: '0 8 * * MON' },
  { text: 'First day of the month at 00:00', cron: '0 0 1 * *' },
  { text: 'Last day of the month at 18:00', cron: '0 18 L * *' },
  { text: 'Second Friday of the month at 09:00', cron: '0 9 * * FRI#2' },
  { text: 'Every 10 seconds', cron: '*/10 * * * * *' },
];
