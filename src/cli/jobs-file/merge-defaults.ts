// Merges the defaults of a jobs file into a job. Objects are merged field by field. Lists and the kind of schedule are replaced.
import { COMBINES_WITH, KINDS, type Kind } from '../../domain/schedule/schedule-kinds.ts';
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import type { FileJob } from './file-schema.ts';

export type MergedJob = Omit<FileJob, 'schedule'> & { readonly schedule?: ScheduleInput };

export function mergeDefaults(defaults: FileJob, job: FileJob): MergedJob {
  const { schedule: common, ...rest } = defaults;
  const { schedule: own, ...fields } = job;
  const schedule = mergeSchedules(asSchedule(common), asSchedule(own));
  return { ...(merged(rest, fields) as Omit<FileJob, 'schedule'>), ...(schedule && { schedule }) };
}

/** Text is a cron pattern. */
const asSchedule = (schedule: FileJob['schedule']): ScheduleInput | undefined =>
  typeof schedule === 'string' ? { cron: schedule } : schedule;

const kindOf = (schedule: ScheduleInput | undefined): Kind | undefined =>
  KINDS.find((kind) => schedule?.[kind] !== undefined);

/** AWS's rate(…) and at(…) are written as cron patterns, and allow the fields of `every` and `at`. */
function effectiveKind(schedule: ScheduleInput): Kind | undefined {
  const [, aws] = /^\s*(rate|at)\s*\(/i.exec(schedule.cron ?? '') ?? [];
  if (aws === undefined) return kindOf(schedule);
  return aws.toLowerCase() === 'rate' ? 'every' : 'at';
}

/** A job with a kind of its own takes from the defaults the fields that its kind allows. */
function mergeSchedules(
  common: ScheduleInput | undefined,
  own: ScheduleInput | undefined,
): ScheduleInput | undefined {
  if (!common || !own) return own ?? (kindOf(common) ? common : undefined);
  const kind = effectiveKind(own);
  if (kind === undefined) return { ...common, ...own };
  const allowed = COMBINES_WITH[kind];
  const taken = Object.entries(common).filter(([field]) => allowed.includes(field));
  return { ...Object.fromEntries(taken), ...own };
}

function merged(common: unknown, own: unknown): unknown {
  if (own === undefined) return common;
  if (!isRecord(common) || !isRecord(own)) return own;
  const names = new Set([...Object.keys(common), ...Object.keys(own)]);
  return Object.fromEntries([...names].map((name) => [name, merged(common[name], own[name])]));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
