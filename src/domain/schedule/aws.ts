// Converts AWS's rate(…) to `every` and at(…) to `at`. cron(…) stays a cron pattern.
import { quote, refuse } from './refuse.ts';
import type { ScheduleInput } from './schedule-schema.ts';

const UNITS: Readonly<Record<string, (n: number) => string>> = {
  MINUTE: (n) => `PT${n}M`,
  HOUR: (n) => `PT${n}H`,
  DAY: (n) => `P${n}D`,
};

/** `rate(5 minutes)` becomes `every: PT5M`. `at(2026-12-01T10:00:00)` becomes `at`, in the timezone or UTC. */
export function fromAws(input: ScheduleInput): ScheduleInput {
  const { cron, ...rest } = input;
  if (cron === undefined) return input;
  const [, kind, inside = ''] = /^\s*(rate|at)\s*\((.*)\)\s*$/i.exec(cron) ?? [];
  if (kind === undefined) return input;
  if (rest.dst)
    refuse('schedule.dst', `dst does not apply to ${quote(cron)}: it is not a pattern of local times`);
  if (kind.toLowerCase() === 'rate') return { every: rateOf(inside, cron), ...rest };
  for (const field of ['startAt', 'endAt', 'except', 'jitterSeconds'] as const) {
    if (rest[field] !== undefined)
      refuse(`schedule.${field}`, `${field} does not apply to ${quote(cron)}: it runs once`);
  }
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(inside.trim())) {
    refuse('schedule.cron', `${quote(cron)} is not at(yyyy-mm-ddThh:mm:ss)`);
  }
  return { at: inside.trim(), timezone: rest.timezone ?? 'UTC' };
}

function rateOf(inside: string, given: string): string {
  const [, one, singular, many, plural = ''] =
    /^\s*(?:(1)\s+(minute|hour|day)|([1-9]\d{0,5})\s+(minute|hour|day)s)\s*$/i.exec(inside) ?? [];
  const make = UNITS[(singular ?? plural).toUpperCase()];
  if (!make || many === '1') {
    refuse(
      'schedule.cron',
      `${quote(given)} is not a rate such as rate(1 hour), rate(5 minutes) or rate(7 days): after 1 the unit is singular, after more it is plural`,
    );
  }
  return make(Number(one ?? many));
}
