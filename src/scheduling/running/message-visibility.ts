// A message in a worker's hands: it stays hidden from others while it is worked on.
import type { Received } from '../../queue/queue.ts';
import type { Context } from '../context.ts';

/** Why timers end that are no longer needed. Without a reason each abort makes an exception with its stack: 7 % of the CPU. */
export const OVER = 'over';

export interface InHand {
  /**
   * The message may have been handed out again, because it could not be hidden in time. Others may delete it, and what we do
   * with it may no longer take effect. So an execution must not depend on it.
   */
  mayBeElsewhere(): boolean;
  /** Stops hiding it. */
  release(): Promise<void>;
}

/** From receipt on, a message is hidden for a lease's length; every heartbeat hides it for as long again. */
export function keepHidden({ clock, settings, log }: Context, received: Received): InHand {
  const { heartbeatMs, leaseMs, clockSkewMs } = settings;
  const over = new AbortController();
  // a little less: the queue counts from before the message was here
  let hiddenUntil = clock.monotonic() + leaseMs - clockSkewMs;
  const mayBeElsewhere = () => clock.monotonic() >= hiddenUntil;

  const hiding = (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(heartbeatMs, over.signal);
      if (over.signal.aborted) return;
      const before = clock.monotonic();
      try {
        await received.setVisibility(leaseMs);
        if (!mayBeElsewhere()) hiddenUntil = before + leaseMs - clockSkewMs;
      } catch (error) {
        log.warn('could not keep a message hidden', { error: String(error) });
      }
    }
  })();
  return {
    mayBeElsewhere,
    release() {
      over.abort(OVER);
      return hiding;
    },
  };
}
