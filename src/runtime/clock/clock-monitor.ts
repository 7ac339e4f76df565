// Logs when the machine's clock becomes wrong and when it is right again. Records the largest offset.
import { type Context, isClockRight } from '../../scheduling/context.ts';

const LOOK_EVERY_MS = 1_000;

export interface ClockMonitor {
  /** The largest offset since the last call, in milliseconds. */
  worst(): number;
  stop(): void;
}

type Watched = Pick<Context, 'clock' | 'settings' | 'log'>;

export function monitorClock(context: Watched): ClockMonitor {
  let wasRight = true;
  let worst = 0;
  const look = () => {
    worst = Math.max(worst, Math.abs(context.clock.offBy?.() ?? 0));
    const isRight = isClockRight(context);
    if (isRight && !wasRight) context.log.warn('clock is right again');
    if (!isRight && wasRight) logWrongClock(context);
    wasRight = isRight;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    worst() {
      look();
      const seen = worst;
      worst = 0;
      return seen;
    },
    stop: () => clearInterval(timer),
  };
}

export const logWrongClock = ({ clock, settings, log }: Watched): void =>
  log.error('clock is wrong; workers take no work until it is right', {
    offByMs: clock.offBy?.(),
    allowedMs: settings.clockSkewMs / 2,
  });
