// The fields of a job from flags and from a file, for create and edit.
import type { JobInput } from '../client/client.ts';
import { type Cli, type Options, UsageError, type Values } from './command.ts';
import { POLICY_FLAGS, policyFields } from './policy-flags.ts';
import { readText } from './read-text.ts';
import { isoDuration, millisecondsOf } from './times.ts';

export const SCHEDULE_FLAGS = {
  cron: {
    type: 'string',
    value: '<pattern>',
    about: "cron schedule such as '0 9 * * MON-FRI', '@daily' or 'rate(5 minutes)'",
  },
  at: {
    type: 'string',
    value: '<time>',
    about: 'run once at this time: 2026-12-01T10:00:00Z, or a local time with --timezone',
  },
  in: { type: 'string', value: '<duration>', about: 'run once after this delay: 90s, 15m, 2h or PT90S' },
  every: { type: 'string', value: '<duration>', about: 'run at a fixed rate: 30s, 15m, 1d or PT30S' },
  timezone: {
    type: 'string',
    value: '<name>',
    about: 'IANA timezone such as Europe/Paris, or an offset such as +05:30 (default UTC)',
  },
  'start-at': { type: 'string', value: '<time>', about: 'no occurrence before this time' },
  'end-at': { type: 'string', value: '<time>', about: 'no occurrence after this time' },
  except: {
    type: 'string',
    multiple: true,
    value: '<times>',
    about: "no run then: 2026-12-25, 2026-12-24/2027-01-01, or a pattern such as '* * * * SAT,SUN'",
  },
  jitter: { type: 'string', value: '<seconds>', about: 'maximum delay of each run, which spreads the load' },
} as const satisfies Options;

export const JOB_FLAGS = {
  task: { type: 'string', value: '<name>', about: 'task to run; punctual tasks lists them' },
  params: {
    type: 'string',
    value: '<json>',
    about: 'params of the task; punctual tasks <name> shows their schema',
  },
  name: { type: 'string', value: '<text>', about: 'name of the job' },
  ...SCHEDULE_FLAGS,
  tag: { type: 'string', multiple: true, value: '<key=value>', about: 'tag for filters' },
  ...POLICY_FLAGS,
  timeout: { type: 'string', value: '<duration>', about: 'timeout of one attempt: 30s, 5m' },
  overlap: {
    type: 'string',
    value: '<skip|queue|allow>',
    about: 'policy for an occurrence that is due while another runs',
  },
  key: {
    type: 'string',
    value: '<text>',
    about: 'concurrency key; at most --concurrent executions of your jobs with this key run at once',
  },
  concurrent: { type: 'string', value: '<n>', about: 'executions with the key that run at once (default 1)' },
  file: {
    type: 'string',
    value: '<job.json>',
    about: 'read the fields of the API from a JSON file (- for stdin); flags override them',
  },
} as const satisfies Options;

type JobFields = Partial<JobInput>;
type Schedule = NonNullable<JobInput['schedule']>;

/** The fields that were given. The server validates their values. */
export async function jobFields(cli: Cli, values: Values<typeof JOB_FLAGS>): Promise<JobFields> {
  const fromFile = values.file === undefined ? {} : await readJob(cli, values.file);
  const schedule = scheduleFields(values);
  return {
    ...fromFile,
    ...definedOnly({
      task: values.task,
      name: values.name,
      params: values.params === undefined ? undefined : objectOf(values.params, '--params'),
      schedule,
      tags: values.tag && { ...fromFile.tags, ...Object.fromEntries(values.tag.map(tagOf)) },
      timeoutSeconds: values.timeout === undefined ? undefined : secondsOf(values.timeout),
      overlap: values.overlap as JobInput['overlap'],
      ...policyFields(values, fromFile),
      limit: limitOf(values, fromFile.limit),
    }),
  };
}

/** `--concurrent` alone changes the number of the key in the file. */
function limitOf(
  { key, concurrent }: Values<typeof JOB_FLAGS>,
  fromFile: JobFields['limit'],
): JobFields['limit'] {
  if (key === undefined && concurrent === undefined) return undefined;
  const name = key ?? fromFile?.key;
  if (name === undefined) throw new UsageError('--concurrent needs a key: give --key, too');
  const count = concurrent === undefined ? fromFile?.concurrent : numberOf(concurrent, '--concurrent');
  return { key: name, concurrent: count ?? 1 };
}

export function scheduleFields(values: Values<typeof SCHEDULE_FLAGS>): Schedule | undefined {
  const given = (['cron', 'at', 'in', 'every'] as const).filter((kind) => values[kind] !== undefined);
  if (given.length > 1) {
    throw new UsageError(
      `${given.map((kind) => `--${kind}`).join(' and ')} cannot be combined: give one of them`,
    );
  }
  const schedule = definedOnly({
    cron: values.cron,
    at: values.at,
    in: values.in === undefined ? undefined : isoDuration(values.in, '--in'),
    every: values.every === undefined ? undefined : isoDuration(values.every, '--every'),
    timezone: values.timezone,
    startAt: values['start-at'],
    endAt: values['end-at'],
    except: values.except?.map(exclusionOf),
    jitterSeconds: values.jitter === undefined ? undefined : numberOf(values.jitter, '--jitter'),
  });
  if (Object.keys(schedule).length === 0) return undefined;
  if (given.length === 0) {
    const [flag = ''] = Object.keys(values).filter((name) => name in SCHEDULE_FLAGS);
    throw new UsageError(`--${flag} needs a schedule: give --cron, --at, --in or --every, too`);
  }
  return schedule;
}

/** A date, a range of dates or times with a slash as in ISO 8601, or a cron pattern. */
function exclusionOf(text: string): NonNullable<NonNullable<Schedule>['except']>[number] {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const [, from, to] = /^(\d{4}-[^/]+)\/(.+)$/.exec(text) ?? [];
  return from !== undefined && to !== undefined ? { from, to } : { cron: text };
}

async function readJob(cli: Cli, file: string): Promise<JobFields> {
  const text = await readText(cli, file);
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

const definedOnly = <T extends object>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
