// Quotas per user. What is not limited costs nothing (docs/decisions/0006-quotas.md says what the rest costs).
import { QuotaExceeded } from '../domain/errors.ts';
import { MINUTE, minuteEnd, minuteOf } from '../domain/executions/slots.ts';
import { shortestInterval } from '../domain/schedule/interval.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import { jobStatus } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';

/** 0: no limit. */
export interface QuotaLimits {
  /** Jobs that have not ended, paused ones included. */
  readonly activeJobs: number;
  readonly createsPerMinute: number;
  readonly shortestIntervalSeconds: number;
}

export const NO_LIMITS: QuotaLimits = { activeJobs: 0, createsPerMinute: 0, shortestIntervalSeconds: 0 };

export interface Quotas {
  /** Each of these throws QuotaExceeded. */
  checkInterval(schedule: Schedule): void;
  takeCreate(userId: string): Promise<void>;
  takeActive(userId: string): Promise<void>;
}

const ACTIVE = 'active';
const KEPT_SECONDS = 3600;

export function createQuotas(context: Context, limits: QuotaLimits): Quotas {
  const { store, clock } = context;
  /** Who has used up this minute: refused without asking the store again. */
  let full = { minute: 0, users: new Set<string>() };
  /** Whose jobs were counted in this minute and were too many. */
  let counted = { minute: 0, users: new Set<string>() };

  return {
    checkInterval(schedule) {
      const { shortestIntervalSeconds: least } = limits;
      const shortest = least > 0 ? shortestInterval(schedule, clock.now()) : undefined;
      if (shortest !== undefined && shortest < least * 1000) {
        throw new QuotaExceeded(
          `the schedule fires ${shortest / 1000} s after it has fired; ${least} s is the shortest that is allowed`,
        );
      }
    },

    async takeCreate(userId) {
      const { createsPerMinute: most } = limits;
      if (most === 0) return;
      const now = clock.now();
      const minute = minuteOf(now);
      if (full.minute !== minute) full = { minute, users: new Set() };
      if (!full.users.has(userId)) {
        const expiresAt = Math.ceil(minuteEnd(minute) / 1000) + KEPT_SECONDS;
        if ((await store.addToQuota(userId, `creates#${minute}`, 1, expiresAt)) <= most) return;
        full.users.add(userId);
      }
      throw new QuotaExceeded(
        `${most} jobs may be created a minute`,
        Math.max(1, Math.ceil((minuteEnd(minute) - now) / 1000)),
      );
    },

    async takeActive(userId) {
      const { activeJobs: most } = limits;
      if (most === 0) return;
      const minute = minuteOf(clock.now());
      if (counted.minute !== minute) counted = { minute, users: new Set() };
      if (!counted.users.has(userId)) {
        const used = await store.addToQuota(userId, ACTIVE, 1);
        if (used <= most) return;
        // the sum only ever grows: it is an upper bound, and put right when it reaches the limit
        const active = await countActive(context, userId, most);
        if (active < most) {
          await store.replaceQuota(userId, ACTIVE, used, active + 1);
          return;
        }
        counted.users.add(userId);
      }
      throw new QuotaExceeded(
        `${most} jobs may be active or paused at the same time; cancel some, or wait for them to end`,
        MINUTE / 1000,
      );
    },
  };
}

/** Up to `enough`. About 0.1 RRU per job that the user has ever had. */
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
