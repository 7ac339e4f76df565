// The times at which a job was paused, from the records of its changes.
import type { Interval } from '../schedule/audit.ts';
import type { ChangeView } from './change.ts';

type PauseChange = Pick<ChangeView, 'at' | 'what' | 'after'>;

export const isPause = ({ what, after }: Pick<PauseChange, 'what' | 'after'>): boolean =>
  what === 'paused' || after?.status === 'paused';

/**
 * `changes` are newest first, as the API lists them. A pause ends at `pausedUntil`, at the next resume or at the cancel,
 * whichever is first. If a pause has not ended, its `to` is infinite.
 */
export function pausesOf(changes: readonly PauseChange[]): Interval[] {
  const pauses: Interval[] = [];
  let open: Interval | undefined;
  for (const change of changes.toReversed()) {
    const at = Date.parse(change.at);
    const status = change.after?.status;
    const isEnd = change.what === 'resumed' || change.what === 'cancelled' || status === 'active';
    if (open && (isEnd || isPause(change))) {
      pauses.push({ from: open.from, to: Math.min(open.to, at) });
      open = undefined;
    }
    if (isPause(change)) open = { from: at, to: endOf(change) };
  }
  return open ? [...pauses, open] : pauses;
}

const endOf = ({ after }: PauseChange): number =>
  after?.pausedUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(after.pausedUntil);
