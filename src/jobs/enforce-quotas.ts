// Quotas per user. A quota that is off costs nothing (docs/decisions/0006-quotas.md has the costs of the others).
import { QuotaExceeded } from '../domain/errors.ts';
import { MINUTE, minuteEnd, minuteOf } from '../domain/executions/slots.ts';
import { shortestInterval } from '../domain/schedule/interval.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import { jobStatus } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';

/** 0 means no limit. */
export interface QuotaLimits {
  /** The maximum number of active and paused jobs. */
  readonly activeJobs: number;
  readonly createsPerMinute: number;
  readonly minIntervalSeconds: number;
}

export const NO_LIMITS: QuotaLimits = { activeJobs: 0, createsPerMinute: 0, minIntervalSeconds: 0 };

export interface Quotas {
  /** Each method throws QuotaExceeded. */
  checkInterval(schedule: Schedule): void;
  takeCreate(userId: string): Promise<void>;
  takeActive(userId: string): Promise<void>;
}

const ACTIVE = 'active';
/** How long the store keeps the counter of a minute after its end. */
const KEPT_SECONDS = 3600;

export function createQuotas(context: Context, limits: QuotaLimits): Quotas {
  const { store, clock } = context;
  /** The users who have used up this minute. They are refused without a call to the store. */
  let exhausted = { minute: 0, users: new Set<string>() };
  /** The users whose jobs were counted in this minute and reached the limit. */
  let overLimit = { minute: 0, users: new Set<string>() };

  return {
    checkInterval(schedule) {
      const { minIntervalSeconds: min } = limits;
      const shortest = min > 0 ? shortestInterval(schedule, clock.now()) : undefined;
      if (shortest !== undefined && shortest < min * 1000) {
        throw new QuotaExceeded(
          `the shortest interval of the schedule is ${shortest / 1000} s; the minimum is ${min} s`,
        );
      }
    },

    async takeCreate(userId) {
      const { createsPerMinute: max } = limits;
      if (max === 0) return;
      const now = clock.now();
      const minute = minuteOf(now);
      if (exhausted.minute !== minute) exhausted = { minute, users: new Set() };
      if (!exhausted.users.has(userId)) {
        const expiresAt = Math.ceil(minuteEnd(minute) / 1000) + KEPT_SECONDS;
        if ((await store.addToQuota(userId, `creates#${minute}`, 1, expiresAt)) <= max) return;
        exhausted.users.add(userId);
      }
      throw new QuotaExceeded(
        `at most ${max} jobs may be created per minute`,
        Math.max(1, Math.ceil((minuteEnd(minute) - now) / 1000)),
      );
    },

    async takeActive(userId) {
      const { activeJobs: max } = limits;
      if (max === 0) return;
      const minute = minuteOf(clock.now());
      if (overLimit.minute !== minute) overLimit = { minute, users: new Set() };
      if (!overLimit.users.has(userId)) {
        const used = await store.addToQuota(userId, ACTIVE, 1);
        if (used <= max) return;
        // The counter only grows, so it is an upper bound. At the limit it is replaced with the count of jobs.
        const active = await countActive(context, userId, max);
        if (active < max) {
          await store.replaceQuota(userId, ACTIVE, used, active + 1);
          return;
        }
        overLimit.users.add(userId);
      }
      throw new QuotaExceeded(
        `at most ${max} jobs may be active or paused; cancel some, or wait for them to end`,
        MINUTE / 1000,
      );
    },
  };
}

/** Counts active and paused jobs until `enough` are found. About 0.1 RRU per job of the user, ended jobs included. */
async function countActive({ store, clock }: Context, userId: string, enough: number): Promise<number> {
  const now = clock.now();
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await store.listHeads(userId, { limit: 1000, cursor });
    count += page.items.filter((head) => ['active', 'paused'].includes(jobStatus(head, now))).length;
    cursor = page.next;
  } while (cursor && count < enough);
  return count;
}
