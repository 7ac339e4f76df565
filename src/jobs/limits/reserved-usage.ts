// Counts usage against a limit that several processes share, without a write per use. A process reserves a block of uses in
// the store and hands them out from memory. The reservations of all processes together never exceed the limit.
//
// Blocks double from 1, and are at most a quarter of what was left. So a single use costs one write, and a thousand uses
// cost about twenty. A process holds at most as many unused reservations as it has used, and few of them near the limit.
import { LRUCache } from 'lru-cache';

/** Reserves `count` uses or none. Resolves with all reserved uses of all processes. Undefined if `count` would exceed `max`. */
export type Reserve = (
  userId: string,
  period: number,
  count: number,
  max: number,
) => Promise<number | undefined>;

export interface ReservedUsage {
  /** Takes `count` uses of this period, or none. False if fewer are left. `max` is not 0. */
  take(userId: string, period: number, max: number, count: number): Promise<boolean>;
}

interface Usage {
  readonly period: number;
  readonly max: number;
  /** Reserved by this process and not used. */
  reserved: number;
  /** The size of the next block. */
  block: number;
  /** The rest of the limit for all processes, as of the last reservation. */
  left: number;
  /** True if nothing is left in this period. */
  isExhausted: boolean;
  reserving: Promise<boolean> | undefined;
}

/** Users whose usage a process remembers. A forgotten user costs one more write. */
const MAX_USERS = 10_000;
/** A block is at most this part of what is left. */
const PART = 4;

export function createReservedUsage(reserve: Reserve): ReservedUsage {
  const usages = new LRUCache<string, Usage>({ max: MAX_USERS });

  /** A new period begins anew, and so does a limit that was changed. Reservations that are given up count as used. */
  function usageOf(userId: string, period: number, max: number): Usage {
    const known = usages.get(userId);
    if (known?.period === period && known.max === max) return known;
    const none = { reserved: 0, block: 1, left: max, isExhausted: false, reserving: undefined };
    const usage = { ...none, period, max };
    usages.set(userId, usage);
    return usage;
  }

  /** False if not even `missing` uses are left. */
  async function reserveMore(userId: string, usage: Usage, missing: number): Promise<boolean> {
    const { period, max } = usage;
    let count = Math.max(missing, Math.min(usage.block, Math.floor(usage.left / PART)));
    let used = await reserve(userId, period, count, max);
    if (used === undefined && count > missing) {
      count = missing;
      used = await reserve(userId, period, count, max);
    }
    if (used === undefined) {
      usage.left = 0;
      usage.isExhausted = missing === 1;
      return false;
    }
    usage.reserved += count;
    usage.left = max - used;
    usage.block *= 2;
    return true;
  }

  return {
    async take(userId, period, max, count) {
      if (count > max) return false;
      const usage = usageOf(userId, period, max);
      while (usage.reserved < count) {
        if (usage.isExhausted) return false;
        if (usage.reserving) {
          await usage.reserving;
          continue;
        }
        usage.reserving = reserveMore(userId, usage, count - usage.reserved).finally(() => {
          usage.reserving = undefined;
        });
        if (!(await usage.reserving)) return false;
      }
      usage.reserved -= count;
      return true;
    },
  };
}
