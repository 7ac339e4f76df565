// A change that a person made to a job: who, when, what, and the fields before and after.
import { z } from 'zod';
import { scheduleSchema } from '../schedule/schedule-schema.ts';
import { optionalFields } from '../validation/optional-fields.ts';
import { isoTime, JOB_STATUSES } from '../views/resource-schemas.ts';
import { type JobSpec, jobSpecSchema } from './job-spec.ts';
import { policiesSchema } from './policies.ts';

export const CHANGE_KINDS = ['created', 'edited', 'paused', 'resumed', 'cancelled'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * Names a change within its job. The job's head has both fields, as `version` and `updatedAt`. The record is inserted
 * before the head is written, so no two attempts at one version have the same `at`.
 */
export interface ChangeKey {
  readonly version: number;
  readonly at: number;
}

const { params: _params, notify: _notify, schedule: _schedule, ...shown } = jobSpecSchema.shape;

/** The version of the job that the value came with. */
const replaced = z.strictObject({ version: z.int().min(1) }).optional();

const fieldsShape = z.strictObject({
  ...optionalFields(shown),
  schedule: z.strictObject(scheduleSchema.shape).optional(),
  status: z.enum(JOB_STATUSES).optional(),
  pausedUntil: isoTime.optional(),
  params: replaced.describe('the version that they came with, never their content'),
  notify: replaced.describe('the version that it came with, never its content'),
});

/** The fields that a change touched, on one side of it. */
export type ChangedFields = z.infer<typeof fieldsShape>;

/** What the record has before and after of, if it changed. */
export const RECORDED_FIELDS = [...Object.keys(shown), 'schedule', 'status', 'pausedUntil'] as (
  | Exclude<keyof JobSpec, 'params' | 'notify'>
  | 'status'
  | 'pausedUntil'
)[];
/** What the record of a create has. */
export const CREATED_FIELDS = ['schedule', ...Object.keys(policiesSchema.shape)] as (
  | 'schedule'
  | keyof typeof policiesSchema.shape
)[];

export interface Change extends ChangeKey {
  readonly jobId: string;
  /** The user who made it: an operator, where an operator changed another user's job. */
  readonly by: string;
  readonly what: ChangeKind;
  readonly note?: string;
  readonly before?: ChangedFields;
  readonly after?: ChangedFields;
  /** The change before it. Absent: the first. Of a job that is older than these records it names one without a record. */
  readonly previous?: ChangeKey;
}

export const changeShape = z
  .strictObject({
    version: z.int().min(1).describe('of the job, since this change'),
    at: isoTime,
    by: z.string().describe('the user who made it'),
    what: z.enum(CHANGE_KINDS),
    note: z.string().optional(),
    before: fieldsShape.optional().describe('the fields that changed, as they were'),
    after: fieldsShape
      .optional()
      .describe('the fields that changed, as they are since; of a create: schedule and policies'),
  })
  .meta({
    id: 'Change',
    examples: [
      {
        version: 2,
        at: '2026-11-17T09:12:44.120Z',
        by: 'ann',
        what: 'paused',
        note: 'the receiver is being moved',
        before: { status: 'active' },
        after: { status: 'paused' },
      },
    ],
  });

export type ChangeView = z.infer<typeof changeShape>;

export const changeView = ({ version, at, by, what, note, before, after }: Change): ChangeView => ({
  version,
  at: new Date(at).toISOString(),
  by,
  what,
  ...(note !== undefined && { note }),
  ...(before && { before }),
  ...(after && { after }),
});
