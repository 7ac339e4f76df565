// The schedule, policies and state of an EventBridge schedule or rule.
import { MAX_JITTER_SECONDS } from '../../domain/schedule/schedule-kinds.ts';
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import type { FileJob } from '../jobs-file/file-schema.ts';
import { type Fields, Refused } from './fields.ts';
import { refuseUnlessFires } from './refuse-unless-fires.ts';

const UNIT: Record<string, (n: string) => string> = {
  minute: (n) => `PT${n}M`,
  hour: (n) => `PT${n}H`,
  day: (n) => `P${n}D`,
};

/** `rule`: a rule of EventBridge, which is in UTC and has no date of creation. */
export function scheduleOf(fields: Fields, now: number, rule: boolean): ScheduleInput {
  const expression = fields.useText('ScheduleExpression')?.trim();
  if (expression === undefined)
    throw new Refused(
      fields.peek('EventPattern') === undefined
        ? 'it has no ScheduleExpression; export it with get-schedule, because list-schedules leaves it out'
        : 'it matches events and has no schedule',
    );
  const timezone = rule ? undefined : fields.useText('ScheduleExpressionTimezone');
  const schedule = kindOf(fields, expression, timezone, rule);
  refuseUnlessFires(schedule, now);
  return schedule;
}

function kindOf(
  fields: Fields,
  expression: string,
  timezone: string | undefined,
  rule: boolean,
): ScheduleInput {
  const zone = timezone === undefined ? {} : { timezone };
  const [, number = '', unit = ''] = /^rate\s*\(\s*(\d+)\s+(minute|hour|day)s?\s*\)$/i.exec(expression) ?? [];
  const every = UNIT[unit.toLowerCase()]?.(String(Number(number)));
  if (every !== undefined) {
    if (timezone !== undefined)
      fields.note('dropped', ['ScheduleExpressionTimezone'], 'a rate does not depend on the timezone');
    const start = fields.peek('StartDate') === undefined ? 'CreationDate' : 'StartDate';
    const startAt = rule ? undefined : dateOf(fields, start);
    if (startAt === undefined)
      fields.note(
        'changed',
        [],
        'the rate counts from the first apply, because the export has no date of creation',
      );
    return { every, ...(startAt && { startAt }), ...endOf(fields, rule), ...jitterOf(fields, rule) };
  }
  const [, at] = /^at\s*\(\s*(\S+?)\s*\)$/i.exec(expression) ?? [];
  if (at !== undefined) {
    for (const field of ['StartDate', 'EndDate'])
      fields.drop([field], 'EventBridge ignores it for a one-time schedule');
    if (fields.peek('FlexibleTimeWindow', 'MaximumWindowInMinutes') !== undefined)
      fields.drop(['FlexibleTimeWindow'], 'a one-time job has no jitter');
    else if (fields.peek('FlexibleTimeWindow', 'Mode') === 'OFF') fields.use('FlexibleTimeWindow', 'Mode');
    return { at, timezone: timezone ?? 'UTC' };
  }
  const startAt = rule ? undefined : dateOf(fields, 'StartDate');
  return {
    cron: expression,
    ...zone,
    ...(startAt && { startAt }),
    ...endOf(fields, rule),
    ...jitterOf(fields, rule),
  };
}

function endOf(fields: Fields, rule: boolean): Pick<ScheduleInput, 'endAt'> {
  const endAt = rule ? undefined : dateOf(fields, 'EndDate');
  return endAt === undefined ? {} : { endAt };
}

/** The command line prints ISO 8601, the API epoch seconds. */
function dateOf(fields: Fields, name: string): string | undefined {
  const value = fields.peek(name);
  if (value === undefined || value === null) return undefined;
  const ms = typeof value === 'number' ? value * 1000 : Date.parse(String(value));
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) throw new Refused(`${name} is not a time`);
  fields.use(name);
  return new Date(Math.round(ms)).toISOString();
}

function jitterOf(fields: Fields, rule: boolean): Pick<ScheduleInput, 'jitterSeconds'> {
  const path = ['FlexibleTimeWindow', 'MaximumWindowInMinutes'] as const;
  if (rule) return {};
  const mode = fields.peek('FlexibleTimeWindow', 'Mode');
  if (mode === 'OFF' || mode === 'FLEXIBLE') fields.use('FlexibleTimeWindow', 'Mode');
  const minutes = fields.peek(...path);
  if (mode !== 'FLEXIBLE' || typeof minutes !== 'number' || minutes <= 0) return {};
  const seconds = Math.round(minutes * 60);
  if (seconds > MAX_JITTER_SECONDS)
    fields.note('changed', path, `the jitter is ${MAX_JITTER_SECONDS} seconds, which is the maximum`);
  else fields.use(...path);
  return { jitterSeconds: Math.min(seconds, MAX_JITTER_SECONDS) };
}

const MAX_ATTEMPTS = 100;

/** The state, and the retry policy, which schedules and the targets of rules have. */
export function policiesOf(
  fields: Fields,
  target: readonly (string | number)[],
): Pick<FileJob, 'paused' | 'retry' | 'misfire'> {
  const state = fields.peek('State');
  const isKnown = state === 'ENABLED' || state === 'DISABLED';
  if (isKnown) fields.use('State');
  const retries = fields.peek(...target, 'RetryPolicy', 'MaximumRetryAttempts');
  const age = fields.peek(...target, 'RetryPolicy', 'MaximumEventAgeInSeconds');
  return {
    ...(state === 'DISABLED' && { paused: true }),
    ...(isCount(retries, 0, 1e6) && { retry: { maxAttempts: attemptsOf(fields, target, retries) } }),
    ...(isCount(age, 0, 86_400) && { misfire: misfireOf(fields, target, age) }),
  };
}

const isCount = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

function attemptsOf(fields: Fields, target: readonly (string | number)[], retries: number): number {
  const path = [...target, 'RetryPolicy', 'MaximumRetryAttempts'];
  if (retries + 1 > MAX_ATTEMPTS)
    fields.note('changed', path, `the maximum number of attempts is ${MAX_ATTEMPTS}`);
  else fields.use(...path);
  return Math.min(retries + 1, MAX_ATTEMPTS);
}

function misfireOf(fields: Fields, target: readonly (string | number)[], age: number) {
  fields.note(
    'changed',
    [...target, 'RetryPolicy', 'MaximumEventAgeInSeconds'],
    'a run that cannot start within this time is skipped (misfire); retries are limited by maxAttempts only',
  );
  return { policy: 'skip' as const, graceSeconds: age };
}
