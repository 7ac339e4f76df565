// The notification event that a write of a row causes.
import { type NotifyEvent, wants } from '../jobs/notify-events.ts';
import { isTerminal, type Row, type RowSeen } from './row.ts';

/**
 * The event of a write that makes a row `row`. `seen` is the row before the write, and undefined for an insert. Undefined if
 * the write is not an event.
 */
export function eventOf(seen: RowSeen | undefined, row: Row): NotifyEvent | undefined {
  switch (row.status) {
    case 'SUCCEEDED':
      return 'succeeded';
    case 'FAILED':
      return 'failed';
    case 'SKIPPED':
      return 'skipped';
    // An attempt that a shutdown interrupted has no error. It does not count.
    case 'RETRYING':
      return row.error ? 'retrying' : undefined;
    // A takeover: the worker of the attempt before was lost.
    case 'RUNNING': {
      const isTakeover = seen ? seen.status === 'RUNNING' && seen.fence !== row.fence : true;
      return isTakeover && row.attempt > 1 ? 'retrying' : undefined;
    }
    default:
      return undefined;
  }
}

/** The row is terminal, the job wants a notification of that, and none has been delivered. */
export const needsNotification = (row: Row): boolean => {
  const event = isTerminal(row.status) && !row.told ? eventOf(undefined, row) : undefined;
  return event !== undefined && wants(row.notifies, event);
};
