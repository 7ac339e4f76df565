// Enforces the limits of owners where people change or start something.
// docs/decisions/0038-limits-per-owner.md has the design, docs/decisions/0006-quotas.md that of the counters.
import { QuotaExceeded } from '../domain/errors.ts';
import { MINUTE, minuteEnd, minuteOf } from '../domain/executions/slots.ts';
import type { LimitName, OwnerLimits } from '../domain/jobs/owner-limits.ts';
import { shortestInterval } from '../domain/schedule/interval.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import type { Context } from '../scheduling/context.ts';
import type { Stored } from '../store/store.ts';
import { createLimitValues, type LimitValues } from './limits/limit-values.ts';
import { createMinuteCounter } from './limits/minute-counter.ts';
import { createRequestRate } from './limits/request-rate.ts';
import { createSharedRequestRate } from './limits/shared-request-rate.ts';
import { createStoredJobs } from './limits/stored-jobs.ts';

/** The fields of a job that limits are about. Undefined for a field that an edit does not change. */
export interface LimitedFields {
  readonly schedule?: Schedule | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** How long each run takes at least, as far as the params say so. */
  readonly durationMs?: number | undefined;
}

/** Each check throws QuotaExceeded. */
export interface Quotas {
  readonly values: LimitValues;
  /** The shortest interval and the longest timeout. */
  checkFields(userId: string, fields: LimitedFields): Promise<void>;
  takeCreate(userId: string): Promise<void>;
  /** An active job with its bytes. */
  takeJob(userId: string, bytes: number): Promise<void>;
  /** What a change of a job adds to the store. */
  takeBytes(userId: string, bytes: number): Promise<void>;
  /** Counts starts by people, all of them or none. */
  takeStarts(userId: string, count: number): Promise<void>;
  /** Counts a request of this process. */
  takeRequest(userId: string): void;
  /** Counts a request over all processes. */
  takeSharedRequest(userId: string): Promise<void>;
  /** Counts a request over all processes that has been under way for `OCCUPIED_MS`. */
  countOccupied(userId: string): Promise<void>;
}

export function createQuotas(context: Context, defaults: OwnerLimits): Quotas {
  const { clock } = context;
  const values = createLimitValues(context, defaults);
  const creates = createMinuteCounter(context, 'creates');
  const starts = createMinuteCounter(context, 'starts');
  const stored = createStoredJobs(context);
  const requests = createRequestRate(context);
  const shared = createSharedRequestRate(context);
  const refuseRequest = (max: number, waitMs: number): void => {
    if (waitMs === 0) return;
    throw refusal(
      ['requestsPerSecond', max],
      `at most ${max} requests may be sent per second`,
      Math.ceil(waitMs / 1000),
    );
  };

  const restOfMinute = () => {
    const now = clock.now();
    return Math.max(1, Math.ceil((minuteEnd(minuteOf(now)) - now) / 1000));
  };

  async function takeStored(userId: string, want: Stored): Promise<void> {
    const { activeJobs, storedBytes } = await values.current(userId);
    const reached = await stored.take(userId, want, { jobs: activeJobs, bytes: storedBytes });
    if (reached?.limit === 'activeJobs')
      throw refusal(
        ['activeJobs', activeJobs],
        `at most ${activeJobs} jobs may be active or paused; cancel some, or wait for them to end`,
        MINUTE / 1000,
      );
    if (reached)
      throw refusal(
        ['storedBytes', storedBytes],
        `the jobs of ${JSON.stringify(userId)} occupy ${reached.used} bytes, and this request needs ${want.bytes} more; at most ${storedBytes} are allowed for all jobs, also ended ones, with all versions of their params and the records of changes. Use smaller params, or ask an operator for more: punctual limits ${userId} --set storedBytes=<bytes>`,
      );
  }

  return {
    values,
    async checkFields(userId, { schedule, timeoutSeconds, durationMs }) {
      const limits = await values.current(userId);
      const { shortestIntervalSeconds: shortest, longestTimeoutSeconds: longest } = limits;
      const interval = schedule && shortest > 0 ? shortestInterval(schedule, clock.now()) : undefined;
      if (interval !== undefined && interval < shortest * 1000) {
        throw refusal(
          ['shortestIntervalSeconds', shortest],
          `the shortest interval of the schedule is ${interval / 1000} s; the minimum is ${shortest} s`,
        );
      }
      if (longest > 0 && timeoutSeconds !== undefined && timeoutSeconds > longest) {
        throw refusal(
          ['longestTimeoutSeconds', longest],
          `timeoutSeconds is ${timeoutSeconds}; the maximum is ${longest}`,
        );
      }
      if (longest > 0 && durationMs !== undefined && durationMs > longest * 1000) {
        throw refusal(
          ['longestTimeoutSeconds', longest],
          `params.durationMs is ${durationMs}; the maximum is ${longest * 1000}`,
        );
      }
    },

    async takeCreate(userId) {
      const { createsPerMinute: max } = await values.current(userId);
      if (await creates.take(userId, max, 1)) return;
      throw refusal(
        ['createsPerMinute', max],
        `at most ${max} jobs may be created per minute`,
        restOfMinute(),
      );
    },

    takeJob: (userId, bytes) => takeStored(userId, { jobs: 1, bytes }),
    takeBytes: (userId, bytes) => takeStored(userId, { jobs: 0, bytes }),

    async takeStarts(userId, count) {
      const { startsPerMinute: max } = await values.current(userId);
      if (await starts.take(userId, max, count)) return;
      const what = `at most ${max} executions may be started by hand per minute`;
      if (count > max && max > 0)
        throw refusal(
          ['startsPerMinute', max],
          `${what}, and this request would start ${count}; request fewer at a time`,
        );
      throw refusal(['startsPerMinute', max], what, restOfMinute());
    },

    takeRequest(userId) {
      const { requestsPerSecond: max } = values.known(userId);
      refuseRequest(max, requests.take(userId, max));
    },

    async takeSharedRequest(userId) {
      const { requestsPerSecond: max } = values.known(userId);
      refuseRequest(max, await shared.take(userId, max));
    },

    async countOccupied(userId) {
      if (values.known(userId).requestsPerSecond > 0) await shared.countOccupied(userId);
    },
  };
}

function refusal(
  [name, value]: [LimitName, number],
  what: string,
  retryAfterSeconds?: number,
): QuotaExceeded {
  const when = retryAfterSeconds === undefined ? '' : `; try again in ${retryAfterSeconds} s`;
  return new QuotaExceeded(`${what} (limit ${name}: ${value})${when}`, retryAfterSeconds, { name, value });
}
