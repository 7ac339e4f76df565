// What people are told of: the kinds of events, which of them a job wants, and which one a change of a row is.
import { isTerminal, type Row, type RowSeen } from '../executions/row.ts';

export const NOTIFY_ON = ['succeeded', 'failed', 'retrying', 'late', 'skipped'] as const;
export type NotifyEvent = (typeof NOTIFY_ON)[number];

export const DEFAULT_LATE_SECONDS = 30;

/**
 * The events that a job wants, as its head and its rows say it in a few bytes: a letter each, and for `late` the seconds
 * after which the first of its targets is to hear of it. `fl30`: failed, and late by 30 s. A job that wants none has none.
 */
export type Notifies = string;

const LETTER: Record<NotifyEvent, string> = {
  succeeded: 's',
  failed: 'f',
  retrying: 'r',
  skipped: 'k',
  late: 'l',
};

interface Wanted {
  readonly on: readonly NotifyEvent[];
  readonly lateSeconds?: number | undefined;
}

export function notifiesOf(notify: readonly Wanted[]): Notifies | undefined {
  const kinds = NOTIFY_ON.filter((kind) => kind !== 'late' && notify.some(({ on }) => on.includes(kind)));
  const late = notify.filter(({ on }) => on.includes('late')).map(lateSecondsOf);
  const letters = kinds.map((kind) => LETTER[kind]).join('');
  return late.length > 0 ? `${letters}${LETTER.late}${Math.min(...late)}` : letters || undefined;
}

export const lateSecondsOf = ({ lateSeconds }: Wanted): number => lateSeconds ?? DEFAULT_LATE_SECONDS;

export const wants = (notifies: Notifies | undefined, event: NotifyEvent): boolean =>
  notifies?.includes(LETTER[event]) ?? false;

/** When nobody is to be told that an execution is late: never. */
export function lateAfterMs(notifies: Notifies | undefined): number {
  const seconds = /l([\d.]+)$/.exec(notifies ?? '')?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}

/** What there is to tell when a row becomes `row`; `seen`: what it was, none if it is inserted. */
export function eventOf(seen: RowSeen | undefined, row: Row): NotifyEvent | undefined {
  switch (row.status) {
    case 'SUCCEEDED':
      return 'succeeded';
    case 'FAILED':
      return 'failed';
    case 'SKIPPED':
      return 'skipped';
    // interrupted by a shutdown, it has no error, and that attempt does not count
    case 'RETRYING':
      return row.error ? 'retrying' : undefined;
    // taken over: the worker of the attempt before was lost
    case 'RUNNING': {
      const another = seen ? seen.status === 'RUNNING' && seen.fence !== row.fence : true;
      return another && row.attempt > 1 ? 'retrying' : undefined;
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
