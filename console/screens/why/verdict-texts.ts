// The words of each verdict, and what to do about it.
import type { StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Explanation } from '../../../src/client/types.ts';

interface VerdictText {
  readonly title: string;
  readonly type: StatusIndicatorProps.Type;
  readonly advice: string;
  /** True if the verdict on a time never changes. */
  readonly isFinal?: true;
}

const NOTHING = 'Nothing.';

export const VERDICT_TEXTS: Readonly<Record<Explanation['verdict'], VerdictText>> = {
  ran: {
    title: 'It ran',
    type: 'success',
    advice: 'Nothing. The execution has its result or its error.',
    isFinal: true,
  },
  running: {
    title: 'It is running',
    type: 'in-progress',
    advice: 'Wait, or cancel the execution on its page.',
  },
  waiting: {
    title: 'It is waiting',
    type: 'pending',
    advice: 'Wait. If it waits often, allow overlap, raise the limit of its key, or add workers.',
  },
  retrying: {
    title: 'It failed and will be retried',
    type: 'warning',
    advice: 'Look at the error of the last attempt. The next attempt starts by itself.',
  },
  skippedOverlap: {
    title: 'It was skipped, because the previous run was not over',
    type: 'not-started',
    advice: 'Run the job less often, make it shorter, or set overlap to queue or allow.',
    isFinal: true,
  },
  skippedMisfire: {
    title: 'It was skipped, because it was too late',
    type: 'not-started',
    advice: 'Raise misfire.graceSeconds, or set misfire.policy to runOnce. A backfill runs it now.',
    isFinal: true,
  },
  coveredByRunOnce: {
    title: 'One run stood for several missed ones',
    type: 'info',
    advice: 'Nothing, or set misfire.policy to runAll if every occurrence must run.',
  },
  cancelled: {
    title: 'It was cancelled',
    type: 'stopped',
    advice: 'Run it again on its page, if it is needed.',
  },
  paused: {
    title: 'The job was paused',
    type: 'stopped',
    advice: 'Resume the job. A backfill runs what was due during the pause.',
  },
  edited: {
    title: 'An edit of the schedule removed or added it',
    type: 'info',
    advice: 'Compare the schedule before and after the edit in the changes of the job.',
  },
  notInSchedule: {
    title: 'The schedule has no occurrence at this time',
    type: 'info',
    advice: 'Check the time zone of the time that you asked for, and the schedule of the job.',
  },
  excluded: {
    title: 'The schedule excludes this time',
    type: 'info',
    advice: 'Edit schedule.except, if the job must run then.',
  },
  dstGap: {
    title: 'This local time did not exist, because clocks went forward',
    type: 'info',
    advice: 'Set schedule.dst.gap, or choose an hour that no clock change skips.',
  },
  beforeStart: {
    title: 'It is before the start of the job',
    type: 'info',
    advice: 'Nothing, or move schedule.startAt. A backfill runs times before the job was created.',
  },
  afterEnd: { title: 'It is after the end of the schedule', type: 'info', advice: 'Move schedule.endAt.' },
  notYetDue: { title: 'It is in the future', type: 'pending', advice: NOTHING },
  notDispatched: {
    title: 'It is due, and was not sent to the workers yet',
    type: 'warning',
    advice: 'If this lasts longer than some seconds, an operator checks the watcher.',
  },
  noWorker: {
    title: 'No worker is alive',
    type: 'error',
    advice: 'An operator starts a worker. The execution then starts by itself.',
  },
  beingRecovered: {
    title: 'Its worker was lost, and it is sent again',
    type: 'warning',
    advice: 'Wait. It starts again by itself.',
  },
  noRecord: {
    title: 'There is no record of it',
    type: 'warning',
    advice: 'Records are removed after the retention. A backfill runs the occurrence, if it did not run.',
  },
};

/** The page of the console for a path of the API. */
export function pageOfEvidence(href: string): string {
  const [, id] = /^\/jobs\/([^/]+)\/changes$/.exec(href) ?? [];
  return id === undefined ? href : `/jobs/${id}?tab=changes`;
}
