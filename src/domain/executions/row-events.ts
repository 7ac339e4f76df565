// The notification event that a write of a row causes.
import { type NotifyEvent, wants } from '../jobs/notify-events.ts';
import { isTerminal, type Row } from './row.ts';

/** The event of a write that makes a row `row`. Undefined if the write is not an event. */
export function eventOf(row: Row): NotifyEvent | undefined {
  switch (row.status) {
    case 'SUCCEEDED':
      return 'succeeded';
    case 'FAILED':
      return 'failed';
    case 'SKIPPED':
      return 'skipped';
    // An attempt that a shutdown interrupted, or that never started, has no error. It does not count.
    case 'RETRYING':
      return row.error ? 'retrying' : undefined;
    default:
      return undefined;
  }
}

/** The row is terminal, the job wants a notification of that, and none has been delivered. */
export const needsNotification = (row: Row): boolean => {
  const event = isTerminal(row.status) && !row.told ? eventOf(row) : undefined;
  return event !== undefined && wants(row.notifies, event);
};
