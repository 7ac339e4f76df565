// Heartbeats: the lease of a running execution is renewed until it ends (docs/protocol.md#heartbeat).
import type { StopSignal } from '../../concurrency/stopper.ts';
import { withDeadline } from '../../concurrency/with-deadline.ts';
import type { Progress } from '../../domain/executions/progress.ts';
import type { Claimed } from '../claiming/claim-result.ts';
import type { Context } from '../context.ts';

/** The reason for stopping a task, which is the `reason` of its signal. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly why: 'timeout' | 'cancelled' | 'lease lost' | 'shutdown';
  constructor(why: Stopped['why'], message: string) {
    super(message);
    this.why = why;
  }
}

/**
 * Sends heartbeats until `done` is aborted. Aborts `task` if another worker has taken over, if a cancel was requested, or if the
 * lease could not be renewed in time. The last happens before the lease ends, so that two workers never run the execution.
 * Each heartbeat carries the last progress of the task.
 *
 * The lease is measured by the monotonic clock, from before the claim or the heartbeat was sent. The stored lease grows by what
 * has passed on it, so that a wall clock that is set back does not shorten it.
 */
export async function renewLease(
  context: Context,
  claimed: Claimed,
  task: AbortController,
  done: StopSignal,
  lastProgress: () => Progress | undefined = () => undefined,
): Promise<void> {
  const { clock, settings, log } = context;
  const { row, sentAt: claimedAt } = claimed;
  let leaseEnd = claimedAt + settings.leaseMs;
  let pause = settings.heartbeatMs;
  while (!done.aborted) {
    const giveUpAt = leaseEnd - /* [rule gives-up-early] */ settings.clockSkewMs;
    await clock.sleep(Math.min(pause, Math.max(0, giveUpAt - clock.monotonic())), done);
    if (done.aborted) return;
    if (clock.monotonic() >= giveUpAt)
      return task.abort(new Stopped('lease lost', 'the lease could not be renewed in time'));
    const sentAt = clock.monotonic();
    try {
      const leaseUntil = (row.leaseUntil ?? 0) + Math.ceil(sentAt - claimedAt);
      const beat = heartbeat(context, claimed, leaseUntil, lastProgress());
      const ms = Math.max(0, giveUpAt - clock.monotonic());
      // a heartbeat without a response must not hide that the lease is over
      const answer = await withDeadline(beat, { timer: clock, ms, signal: done }, () => 'late' as const);
      if (answer === 'late') continue;
      if (answer === 'lost') return task.abort(new Stopped('lease lost', 'another worker has taken over'));
      if (answer === 'cancelled') task.abort(new Stopped('cancelled', 'a cancel was requested'));
      leaseEnd = /* [rule lease-from-send] */ sentAt + settings.leaseMs;
      pause = settings.heartbeatMs;
    } catch (error) {
      const { jobId, due } = row;
      log.warn('a heartbeat failed; retrying', { jobId, due, error: String(error) });
      pause = settings.heartbeatMs / 10;
    }
  }
}

/** Extends the lease, and looks whether the execution or its job was cancelled. 1 WRU and 0.5 RRU. */
async function heartbeat(
  { store }: Context,
  { row }: Claimed,
  leaseUntil: number,
  progress: Progress | undefined,
): Promise<'extended' | 'cancelled' | 'lost'> {
  const [extended, head] = await Promise.all([
    store.extendLease(row, row.number, leaseUntil, progress),
    store.readHead(row.jobId, { consistent: false }),
  ]);
  if (extended) return extended.cancelRequested || head?.status === 'cancelled' ? 'cancelled' : 'extended';
  // the SDK may have sent the request twice, and the second one was refused
  const now = await store.readRow(row.jobId, row.due, { consistent: true });
  const isOwn = now?.status === 'RUNNING' && now.number === row.number;
  return isOwn && (now.leaseUntil ?? 0) >= leaseUntil
    ? now.cancelRequested
      ? 'cancelled'
      : 'extended'
    : 'lost';
}
