// A change that a person made to a job: who, when, what, and the fields before and after.
import type { Policies } from './policies.ts';
import type { Schedule } from './schedule/schema.ts';
import type { JobStatus } from './shapes.ts';

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

/** Params and notifications may hold secrets: the record has the version that they came with, never their content. */
export interface Replaced {
  readonly version: number;
}

/** The fields that a change touched, on one side of it. */
export interface ChangedFields extends Partial<Policies> {
  readonly name?: string;
  readonly task?: string;
  readonly status?: JobStatus;
  readonly schedule?: Schedule;
  readonly tags?: Readonly<Record<string, string>>;
  readonly params?: Replaced;
  readonly notify?: Replaced;
}

export interface Change extends ChangeKey {
  readonly jobId: string;
  /** The user who made it: an operator, where an operator changed another user's job. */
  readonly by: string;
  readonly what: ChangeKind;
  readonly note?: string;
  readonly before?: ChangedFields;
  readonly after?: ChangedFields;
  /** The change before it. Absent: the first, or one of a job that is older than these records. */
  readonly previous?: ChangeKey;
}
