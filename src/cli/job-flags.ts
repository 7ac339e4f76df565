// A job, or a change of one, from flags or from a file.
import type { JobInput } from '../client/client.ts';
import { type Cli, type Options, UsageError, type Values } from './command.ts';
import { isoDuration, millisecondsOf } from './times.ts';

export const SCHEDULE_FLAGS = {
  cron: {
    type: 'string',
    value: '<pattern>',
    about: "such as '0 9 * * MON-FRI', '@daily' or 'rate(5 minutes)'",
  },
  at: {
    type: 'string',
    value: '<time>',
    about: 'once: 2026-12-01T10:00:00Z, or a local time with --timezone',
  },
  in: { type: 'string', value: '<duration>', about: 'once, this long from now: 90s, 15m, 2h or PT90S' },
  every: { type: 'string', value: '<duration>', about: 'at a fixed rate: 30s, 15m, 1d or PT30S' },
  timezone: {
    type: 'string',
    value: '<name>',
    about: 'IANA name such as Europe/Paris, or +05:30; UTC unless given',
  },
  'start-at': { type: 'string', value: '<time>', about: 'no occurrence before' },
  'end-at': { type: 'string', value: '<time>', about: 'no occurrence after' },
  jitter: { type: 'string', value: '<seconds>', about: 'each run starts up to this much later' },
} as const satisfies Options;

export const JOB_FLAGS = {
  task: { type: 'string', value: '<name>', about: 'one of: punctual tasks' },
  params: { type: 'string', value: '<json>', about: "by the task's own schema" },
  name: { type: 'string', value: '<text>', about: 'what you call it' },
  ...SCHEDULE_FLAGS,
  tag: { type: 'string', multiple: true, value: '<key=value>', about: 'to find it by' },
  'max-attempts': { type: 'string', value: '<n>', about: 'how often it is tried in all' },
  timeout: { type: 'string', value: '<duration>', about: 'of one attempt: 30s, 5m' },
  overlap: { type: 'string', value: '<skip|queue|allow>', about: 'when it is due and still runs' },
  misfire: { type: 'string', value: '<runAll|runOnce|skip>', about: 'what to do with runs that were missed' },
  file: {
    type: 'string',
    value: '<job.json>',
    about: 'the fields of the API from a file, - for stdin; flags win',
  },
} as const satisfies Options;

type JobFields = Partial<JobInput>;
type Schedule = NonNullable<JobInput['schedule']>;

/** Only what was given. Whether values are allowed is the server's to say, with its words. */
export async function jobFields(cli: Cli, values: Values<typeof JOB_FLAGS>): Promise<JobFields> {
  const fromFile = values.file === undefined ? {} : await readJob(cli, values.file);
  const schedule = scheduleFields(values);
  return {
    ...fromFile,
    ...withoutNone({
      task: values.task,
      name: values.name,
      params: values.params === undefined ? undefined : objectOf(values.params, '--params'),
      schedule,
      tags: values.tag && { ...fromFile.tags, ...Object.fromEntries(values.tag.map(tagOf)) },
      retry:
        values['max-attempts'] === undefined
          ? undefined
          : { ...fromFile.retry, maxAttempts: numberOf(values['max-attempts'], '--max-attempts') },
      timeoutSeconds: values.timeout === undefined ? undefined : secondsOf(values.timeout),
      overlap: values.overlap as JobInput['overlap'],
      misfire:
        values.misfire === undefined ? undefined : { ...fromFile.misfire, policy: values.misfire as 'skip' },
    }),
  };
}

export function scheduleFields(values: Values<typeof SCHEDULE_FLAGS>): Schedule | undefined {
  const given = (['cron', 'at', 'in', 'every'] as const).filter((kind) => values[kind] !== undefined);
  if (given.length > 1) {
    throw new UsageError(`${given.map((kind) => `--${kind}`).join(' and ')} exclude each other: give one`);
  }
  const schedule = withoutNone({
    cron: values.cron,
    at: values.at,
    in: values.in === undefined ? undefined : isoDuration(values.in, '--in'),
    every: values.every === undefined ? undefined : isoDuration(values.every, '--every'),
    timezone: values.timezone,
    startAt: values['start-at'],
    endAt: values['end-at'],
    jitterSeconds: values.jitter === undefined ? undefined : numberOf(values.jitter, '--jitter'),
  });
  if (Object.keys(schedule).length === 0) return undefined;
  if (given.length === 0) {
    const [lonely = ''] = Object.keys(values).filter((name) => name in SCHEDULE_FLAGS);
    throw new UsageError(`--${lonely} belongs to a schedule: give --cron, --at, --in or --every too`);
  }
  return schedule;
}

async function readJob(cli: Cli, file: string): Promise<JobFields> {
  let text: string;
  try {
    text = file === '-' ? await cli.readInput() : cli.readFile(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return objectOf(text, file === '-' ? 'stdin' : file) as JobFields;
}

export function objectOf(text: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...value };
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new UsageError(`${where} must be a JSON object such as {"url":"https://example.com"}`);
}

export function tagOf(text: string): [key: string, value: string] {
  const found = /^([^=:]+)[=:](.*)$/s.exec(text);
  if (!found?.[1]) throw new UsageError(`--tag must be key=value, got ${JSON.stringify(text)}`);
  return [found[1], found[2] ?? ''];
}

export function numberOf(text: string, option: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) {
    throw new UsageError(`${option} must be a number, got ${JSON.stringify(text)}`);
  }
  return number;
}

const secondsOf = (text: string): number =>
  /^\d+(\.\d+)?$/.test(text) ? Number(text) : millisecondsOf(text, '--timeout') / 1000;

const withoutNone = <T extends object>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
