// Heartbeats: the lease of a running execution is renewed until it ends (docs/protocol.md#leases-and-heartbeats).
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
 */
export async function renewLease(
  context: Context,
  claimed: Claimed,
  task: AbortController,
  done: StopSignal,
  lastProgress: () => Progress | undefined = () => undefined,
): Promise<void> {
  const { store, clock, random, settings, log } = context;
  const { head, hold, place } = claimed;
  let leaseEnd = claimed.leaseEnd;
  let pause = settings.heartbeatMs;
  while (!done.aborted) {
    const giveUpAt = leaseEnd - settings.clockSkewMs;
    await clock.sleep(Math.min(pause, Math.max(0, giveUpAt - clock.monotonic())), done);
    if (done.aborted) return;
    if (clock.monotonic() >= giveUpAt) {
      return task.abort(new Stopped('lease lost', 'the lease could not be renewed in time'));
    }
    const sentAt = clock.monotonic();
    try {
      const beat = store.heartbeat(
        head.jobId,
        place,
        hold.token,
        clock.now() + settings.leaseMs,
        random.id(12),
        lastProgress(),
      );
      const ms = Math.max(0, giveUpAt - clock.monotonic());
      // a heartbeat without a response must not hide that the lease is over
      const now = await withDeadline(beat, { timer: clock, ms, signal: done }, () => 'late' as const);
      if (now === 'late') continue;
      if (!now) return task.abort(new Stopped('lease lost', 'another worker has taken over'));
      if (now.cancelRequested) task.abort(new Stopped('cancelled', 'a cancel was requested'));
      leaseEnd = sentAt + settings.leaseMs;
      pause = settings.heartbeatMs;
    } catch (error) {
      log.warn('a heartbeat failed; retrying', {
        jobId: head.jobId,
        due: hold.due,
        error: String(error),
      });
      pause = settings.heartbeatMs / 10;
    }
  }
}
