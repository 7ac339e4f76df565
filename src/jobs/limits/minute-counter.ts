// A limit per minute over all processes: one counter per owner and minute in the store.
import { minuteEnd, minuteOf } from '../../domain/executions/slots.ts';
import type { Context } from '../../scheduling/context.ts';
import { createReservedUsage } from './reserved-usage.ts';

/** How long the store keeps the counter of a minute after its end. */
const KEPT_SECONDS = 3600;

export interface MinuteCounter {
  /** Takes `count` uses of this minute, or none. False if fewer are left. True if `max` is 0. */
  take(userId: string, max: number, count: number): Promise<boolean>;
}

/** The name of the counter in the store. */
export const minuteCounterName = (kind: 'creates' | 'starts', minute: number): string => `${kind}#${minute}`;

export function createMinuteCounter({ store, clock }: Context, kind: 'creates' | 'starts'): MinuteCounter {
  const usage = createReservedUsage((userId, minute, count, max) => {
    const expiresAt = Math.ceil(minuteEnd(minute) / 1000) + KEPT_SECONDS;
    return store.takeFromQuota(userId, minuteCounterName(kind, minute), count, max, expiresAt);
  });
  return {
    async take(userId, max, count) {
      return max === 0 || count === 0 || usage.take(userId, minuteOf(clock.now()), max, count);
    },
  };
}
