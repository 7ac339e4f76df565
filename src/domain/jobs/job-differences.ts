// The difference between a job and a full description of it. Both are compared after defaults and resolution.
import { z } from 'zod';
import { instantMs } from '../schedule/instant.ts';
import type { Schedule } from '../schedule/schedule-schema.ts';
import { isSameValue, valueChanges } from '../value-changes.ts';
import type { Definition, Head } from './job.ts';
import { type JobSpec, jobSpecSchema } from './job-spec.ts';

export const fieldChangeShape = z.strictObject({
  path: z
    .string()
    .describe(
      'field, such as schedule.cron, cut to 200 characters. After 100 changes, the last entry is `and 5 more changes`, without from and to',
    ),
  from: z.unknown().optional().describe('value of the job; absent if the job has none'),
  to: z.unknown().optional().describe('value of the request; absent if the field is removed'),
});

export type FieldChange = z.infer<typeof fieldChangeShape>;

/** The fields of a request that a job can differ in. The name is the identity of the job. */
export type ComparedField = Exclude<keyof JobSpec, 'name'> | 'paused';

export type ComparedJob = Partial<Record<ComparedField, unknown>> & { readonly paused: boolean };

const SPEC_FIELDS = (Object.keys(jobSpecSchema.shape) as (keyof JobSpec)[]).filter(
  (field): field is Exclude<ComparedField, 'paused'> => field !== 'name',
);

/** The fields of a job. A pause with an end ends by itself, so it does not count as `paused`. */
export function comparedHead(head: Head, definition: Pick<Definition, 'params' | 'notify'>): ComparedJob {
  const stored: Partial<Record<ComparedField, unknown>> = { ...head, ...definition };
  return { ...pick(stored), paused: head.status === 'paused' };
}

/** The fields of a request. `schedule` is its schedule in the stored form. */
export const comparedSpec = (spec: JobSpec, schedule: Schedule, paused: boolean): ComparedJob => ({
  ...pick({ ...spec, schedule }),
  paused,
});

const pick = (from: Partial<Record<ComparedField, unknown>>): Partial<Record<ComparedField, unknown>> =>
  Object.fromEntries(SPEC_FIELDS.map((field) => [field, from[field]]));

/** The fields whose values differ. */
export const differingFields = (from: ComparedJob, to: ComparedJob): ComparedField[] =>
  [...SPEC_FIELDS, 'paused' as const].filter((field) => !isSameValue(from[field], to[field]));

/** The differing values, each by the path of the smallest field that differs. A list is one value. At most 100 are listed. */
export const fieldChanges = (from: ComparedJob, to: ComparedJob): FieldChange[] => valueChanges([], from, to);

/** All fields of a job that does not exist yet. */
export const newFields = (job: ComparedJob): FieldChange[] =>
  Object.entries(job)
    .filter(([, value]) => value !== undefined && !isEmpty(value))
    .map(([path, to]) => ({ path, to }));

const isEmpty = (value: unknown): boolean =>
  value === false || (value !== null && typeof value === 'object' && Object.keys(value).length === 0);

/**
 * The schedule that a request asks for. A rate without `startAt` counts from its creation. If the job has the same rate, it
 * keeps its start.
 */
export function keepStart(wanted: Schedule, hasStart: boolean, current: Schedule): Schedule {
  if (hasStart || !('every' in wanted) || !('every' in current)) return wanted;
  return wanted.every === current.every ? { ...wanted, startAt: current.startAt } : wanted;
}

/** True for two one-time schedules of the same instant. */
export const isSameInstant = (a: Schedule, b: Schedule): boolean =>
  'at' in a && 'at' in b && instantMs(a.at) === instantMs(b.at);
