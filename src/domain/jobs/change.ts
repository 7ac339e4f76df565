// The record of a change that a user made to a job: the user, the time, and the fields before and after.
import { z } from 'zod';
import { scheduleSchema } from '../schedule/schedule-schema.ts';
import { optionalFields } from '../validation/optional-fields.ts';
import { isoTime, JOB_STATUSES } from '../views/resource-schemas.ts';
import { type JobSpec, jobSpecSchema } from './job-spec.ts';
import { policiesSchema } from './policies.ts';

export const CHANGE_KINDS = ['created', 'edited', 'paused', 'resumed', 'cancelled'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * Identifies a change within its job. The job's head has both fields, as `version` and `updatedAt`. The record is inserted
 * before the head is written, so no two attempts at one version have the same `at`.
 */
export interface ChangeKey {
  readonly version: number;
  readonly at: number;
}

const { params: _params, notify: _notify, schedule: _schedule, ...recorded } = jobSpecSchema.shape;

/** A reference to the version that set the value. The record does not contain params and notify: they may be secret. */
const replaced = z.strictObject({ version: z.int().min(1) }).optional();

const fieldsShape = z.strictObject({
  ...optionalFields(recorded),
  schedule: z.strictObject(scheduleSchema.shape).optional(),
  status: z.enum(JOB_STATUSES).optional(),
  pausedUntil: isoTime.optional(),
  params: replaced.describe('version that set the params; their content is not recorded'),
  notify: replaced.describe('version that set the notifications; their content is not recorded'),
});

/** The changed fields of a job, before or after a change. */
export type ChangedFields = z.infer<typeof fieldsShape>;

/** The fields whose values before and after a change are recorded. */
export const RECORDED_FIELDS = [...Object.keys(recorded), 'schedule', 'status', 'pausedUntil'] as (
  | Exclude<keyof JobSpec, 'params' | 'notify'>
  | 'status'
  | 'pausedUntil'
)[];
/** The fields in the record of a create. */
export const CREATED_FIELDS = ['schedule', ...Object.keys(policiesSchema.shape)] as (
  | 'schedule'
  | keyof typeof policiesSchema.shape
)[];

export interface Change extends ChangeKey {
  readonly jobId: string;
  /** The user who made the change: the owner, or an operator. */
  readonly by: string;
  readonly what: ChangeKind;
  readonly note?: string;
  readonly before?: ChangedFields;
  readonly after?: ChangedFields;
  /** The previous change. Absent in the first record of a job. */
  readonly previous?: ChangeKey;
}

export const changeShape = z
  .strictObject({
    version: z.int().min(1).describe('version of the job after this change'),
    at: isoTime,
    by: z.string().describe('user who made the change'),
    what: z.enum(CHANGE_KINDS),
    note: z.string().optional(),
    before: fieldsShape.optional().describe('changed fields before the change'),
    after: fieldsShape
      .optional()
      .describe('changed fields after the change; for `created`: schedule and policies'),
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
