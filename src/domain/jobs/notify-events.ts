// The events that users can be notified of, and the short form in which heads and rows store the events that a job wants.

export const NOTIFY_ON = ['succeeded', 'failed', 'retrying', 'late', 'skipped'] as const;
export type NotifyEvent = (typeof NOTIFY_ON)[number];

export const DEFAULT_LATE_SECONDS = 30;

/**
 * The events that a job wants, in a few bytes: a letter for each, and after `l` (late) the smallest `lateSeconds` of the
 * job's targets. `fl30` means failed, and late by 30 s. A job without notifications has no such field.
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

/** The lateness after which a `late` notification is sent. Infinite if the job does not want one. */
export function lateAfterMs(notifies: Notifies | undefined): number {
  const seconds = /l([\d.]+)$/.exec(notifies ?? '')?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}
