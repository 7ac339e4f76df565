// When a job was paused, by the records of its changes.
import type { Change } from '../client/client.ts';
import type { Pause } from './audit.ts';

/**
 * `changes` are newest first, as the server lists them. A pause ends at `pausedUntil`, at the next resume or at the cancel,
 * whichever is first. A pause that has not ended goes on for ever.
 */
export function pausesOf(changes: readonly Change[]): Pause[] {
  const pauses: Pause[] = [];
  let open: Pause | undefined;
  for (const change of changes.toReversed()) {
    const at = Date.parse(change.at);
    const status = change.after?.status;
    const isEnd = change.what === 'resumed' || change.what === 'cancelled' || status === 'active';
    if (open && (isEnd || change.what === 'paused')) {
      pauses.push({ from: open.from, to: Math.min(open.to, at) });
      open = undefined;
    }
    if (change.what === 'paused') open = { from: at, to: endOf(change) };
  }
  return open ? [...pauses, open] : pauses;
}

const endOf = ({ after }: Change): number =>
  after?.pausedUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(after.pausedUntil);
