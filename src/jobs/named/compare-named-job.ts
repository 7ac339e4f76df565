// Compares a request by name with the job of the name: the action and the changes.
import type { Definition, Head } from '../../domain/jobs/job.ts';
import {
  type ComparedField,
  comparedHead,
  comparedSpec,
  differingFields,
  type FieldChange,
  fieldChanges,
  isSameInstant,
  keepStart,
  newFields,
} from '../../domain/jobs/job-differences.ts';
import type { JobSpec } from '../../domain/jobs/job-spec.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { NamedJobAction } from '../../domain/views/resource-schemas.ts';
import { isLive } from './find-named-job.ts';

/** The full description of a job. */
export interface Wanted {
  readonly spec: JobSpec;
  readonly paused: boolean;
}

export interface Comparison {
  readonly action: NamedJobAction;
  /** Computed at the call, because only a dry run shows them. */
  readonly changes: () => FieldChange[];
  readonly fields: readonly ComparedField[];
  /** The schedule that the job will have. */
  readonly schedule: Schedule;
}

/** `head` is undefined if the name has no job, or a cancelled one. */
export function compareNamed(
  { spec, paused }: Wanted,
  head: Head | undefined,
  definition: Pick<Definition, 'params' | 'notify'>,
  now: number,
): Comparison {
  const given = resolveSchedule(spec.schedule, now);
  if (!head || head.status === 'cancelled')
    return {
      action: 'create',
      changes: () => newFields(comparedSpec(spec, given, paused)),
      fields: [],
      schedule: given,
    };
  const schedule = keepStart(given, spec.schedule?.startAt !== undefined, head.schedule);
  const [from, to] = [comparedHead(head, definition), comparedSpec(spec, schedule, paused)];
  // a one-time job that has ended will not run again, so no change of it has an effect
  const isOver = !isLive(head) && isSameInstant(head.schedule, schedule);
  const fields = isOver ? [] : differingFields(from, to);
  if (fields.length === 0) return { action: 'none', changes: () => [], fields, schedule };
  const canEdit = isLive(head) && (head.overlap === 'allow') === (spec.overlap === 'allow');
  return { action: canEdit ? 'update' : 'replace', changes: () => fieldChanges(from, to), fields, schedule };
}
