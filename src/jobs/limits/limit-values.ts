// The limits that apply to an owner: the defaults of the deployment, and the values that operators have set. A process reads
// them once per owner and `FRESH_MS`, so a change applies in all processes within a minute.
import { LRUCache } from 'lru-cache';
import type { LimitsOfOwner, OwnerLimits } from '../../domain/jobs/owner-limits.ts';
import type { Context } from '../../scheduling/context.ts';

/** Read again after this time. Another read may still be under way then, which takes seconds at most. */
export const FRESH_MS = 45_000;
/** After a failed read, the known values apply for this time. */
const AFTER_FAILURE_MS = 5_000;
const MAX_OWNERS = 10_000;
/** `freshUntil` of values that were not read yet. */
const NEVER = Number.NEGATIVE_INFINITY;

export interface LimitValues {
  readonly defaults: OwnerLimits;
  /** The values of the last read, or the defaults before the first. Never waits. Reads again in the background if they are old. */
  known(userId: string): OwnerLimits;
  /** The first read of an owner's values. Undefined if it has ended. */
  firstRead(userId: string): Promise<unknown> | undefined;
  /** The values of the store, at most `FRESH_MS` old. If the store fails, the known values. */
  current(userId: string): Promise<OwnerLimits>;
  /** Applies values that were just written or read. */
  learn(userId: string, own: LimitsOfOwner | undefined): OwnerLimits;
}

interface Known {
  values: OwnerLimits;
  freshUntil: number;
  reading: Promise<OwnerLimits> | undefined;
}

export function createLimitValues({ store, clock, log }: Context, defaults: OwnerLimits): LimitValues {
  const owners = new LRUCache<string, Known>({ max: MAX_OWNERS });

  function knownOf(userId: string): Known {
    const known = owners.get(userId) ?? {
      values: defaults,
      freshUntil: NEVER,
      reading: undefined,
    };
    owners.set(userId, known);
    return known;
  }

  async function read(userId: string, known: Known): Promise<OwnerLimits> {
    try {
      return learn(userId, await store.readLimits(userId, { consistent: false }));
    } catch (error) {
      log.warn('failed to read the limits of an owner', { userId, error: String(error) });
      known.freshUntil = clock.monotonic() + AFTER_FAILURE_MS;
      return known.values;
    }
  }

  function learn(userId: string, own: LimitsOfOwner | undefined): OwnerLimits {
    const known = knownOf(userId);
    known.values = { ...defaults, ...own?.limits };
    known.freshUntil = clock.monotonic() + FRESH_MS;
    return known.values;
  }

  function refresh(userId: string): Known {
    const known = knownOf(userId);
    if (clock.monotonic() >= known.freshUntil)
      known.reading ??= read(userId, known).finally(() => {
        known.reading = undefined;
      });
    return known;
  }

  return {
    defaults,
    known: (userId) => refresh(userId).values,
    firstRead(userId) {
      const { freshUntil, reading } = refresh(userId);
      return freshUntil === NEVER ? reading : undefined;
    },
    async current(userId) {
      const known = refresh(userId);
      return known.reading ?? known.values;
    },
    learn,
  };
}
