// The words of a job, and what can be done with it in its status.
import type { Job } from '../../../src/client/types.ts';

/** Why a job has no next run. */
export function nextRunText({ status, pausedUntil }: Pick<Job, 'status' | 'pausedUntil'>): string {
  if (status === 'active') return 'never again';
  if (status === 'paused') return pausedUntil === undefined ? 'none until it is resumed' : 'after the pause';
  return 'none';
}

const isOpen = ({ status }: Pick<Job, 'status'>): boolean => status === 'active' || status === 'paused';

export const canPause = ({ status }: Pick<Job, 'status'>): boolean => status === 'active';
export const canResume = ({ status }: Pick<Job, 'status'>): boolean => status === 'paused';
export const canEdit = isOpen;
export const canCancel = isOpen;
/** A job that has ended by itself runs again on request. Only a cancelled one does not. */
export const canRun = ({ status }: Pick<Job, 'status'>): boolean => status !== 'cancelled';
export const canBackfill = (job: Pick<Job, 'status' | 'schedule'>): boolean =>
  isOpen(job) && job.schedule.at === undefined;

/** The fields that the server computes. The rest is the definition. */
const COMPUTED: ReadonlySet<string> = new Set([
  'id',
  'owner',
  'status',
  'version',
  'createdAt',
  'updatedAt',
  'nextRunAt',
  'searchingSince',
  'pausedUntil',
  'warnings',
  'lastExecution',
  'recent',
  'action',
]);

/** The fields of a job that its users have chosen, with defaults filled in. */
export const definitionOf = (job: Job): Record<string, unknown> =>
  Object.fromEntries(Object.entries(job).filter(([name]) => !COMPUTED.has(name)));
