// The time range that an audit of a job covers. It runs in the command line and in a browser.
import type { Interval } from '../schedule/audit.ts';
import { HOUR } from '../schedule/duration.ts';
import { hasZoneRules } from '../schedule/occurrences.ts';
import type { Schedule } from '../schedule/schedule-schema.ts';
import type { ChangeView } from './change.ts';

interface AuditedJob {
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The part of the range in which the job existed and was not cancelled. */
export function auditedRange(job: AuditedJob, asked: Interval): Interval {
  const end = job.status === 'cancelled' ? Date.parse(job.updatedAt) : asked.to;
  return { from: Math.max(asked.from, Date.parse(job.createdAt)), to: Math.min(asked.to, end) };
}

/** Nearly all changes of timezone rules move clocks by 3 hours at most. */
const MAX_ZONE_CHANGE_MS = 3 * HOUR;

/** The time around the range whose executions are read too: one may have the due time of earlier rules of its timezone. */
export const zoneMargin = (schedule: Schedule): number => (hasZoneRules(schedule) ? MAX_ZONE_CHANGE_MS : 0);

/** The notes of the report. `changes` are newest first. */
export function auditNotes(
  job: AuditedJob,
  changes: readonly Pick<ChangeView, 'at' | 'what' | 'after'>[],
  from: number,
): string[] {
  const edit = changes.find(({ what, after }) => what === 'edited' && after?.schedule !== undefined);
  const pausedAt = changes.find(({ what }) => what === 'paused')?.at ?? job.updatedAt;
  return [
    ...(job.status === 'paused' ? [`the job is paused since ${pausedAt}`] : []),
    ...(edit && Date.parse(edit.at) >= from
      ? [`the schedule was edited at ${edit.at}: earlier occurrences are compared with the current schedule`]
      : []),
  ];
}
