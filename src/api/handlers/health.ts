// `GET /health`: reads and writes one small item of the store, and checks the clock of the machine. The result of the store
// is cached for `CACHE_MS`, so that frequent probes cost at most 12 reads and writes per minute and process.
import { withDeadline } from '../../concurrency/with-deadline.ts';
import { type Context, isClockRight } from '../../scheduling/context.ts';
import { Unavailable } from '../http/request-errors.ts';

const CACHE_MS = 5_000;
const DEADLINE_MS = 2_000;
/** The write increments a quota counter of the empty user id, which no user has. */
const PROBE = { userId: '', quota: 'health', keptSeconds: 86_400 };

/** Throws Unavailable if reads or writes fail, or if the clock is wrong. */
export function createHealthCheck(ctx: Context): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let result: Promise<string[]> = Promise.resolve([]);
  return async () => {
    const now = ctx.clock.monotonic();
    if (now - checkedAt >= CACHE_MS) {
      checkedAt = now;
      result = failingParts(ctx);
    }
    const failing = await result;
    if (failing.length > 0) throw new Unavailable(`the store is unavailable: ${failing.join(' and ')} fail`);
    refuseWrongClock(ctx);
  };
}

function refuseWrongClock(ctx: Context): void {
  if (isClockRight(ctx)) return;
  const seconds = Math.round((ctx.clock.offBy?.() ?? 0) / 1000);
  const where = seconds > 0 ? 'ahead' : 'behind';
  throw new Unavailable(
    `the clock of this machine is ${Math.abs(seconds)} s ${where}; its worker runs nothing until the clock is right`,
  );
}

async function failingParts(ctx: Context): Promise<string[]> {
  const { store, clock } = ctx;
  const expiresAt = Math.floor(clock.now() / 1000) + PROBE.keptSeconds;
  const parts = {
    reads: () => store.readHead('health', { consistent: true }),
    writes: () => store.addToQuota(PROBE.userId, PROBE.quota, 1, expiresAt),
  };
  const failing = Object.entries(parts).map(async ([part, call]) => {
    try {
      await withDeadline<unknown, never>(call(), { timer: clock, ms: DEADLINE_MS }, () => {
        throw new Error(`no response within ${DEADLINE_MS} ms`);
      });
      return [];
    } catch (error) {
      ctx.log.warn('health check failed', { part, error });
      return [part];
    }
  });
  return (await Promise.all(failing)).flat();
}
