// Task protection: ECS does not stop a protected task when it scales in or deploys. A worker asks for protection while a
// long job runs. Short jobs end within the drain. Protection has a maximum, because a deployment waits for it: a worker
// that always had a long job could never be replaced, and CloudFormation gives up on a service update after about 3 hours.
import type { Clock, Log } from '../scheduling/context.ts';

export interface ProtectionOptions {
  /** ECS_AGENT_URI, which every container on ECS has. */
  readonly agentUri: string;
  readonly clock: Clock;
  readonly log: Log;
  /** When each job that runs now has begun. */
  running(): readonly { readonly since: number }[];
  /** The longest protection without a break. */
  readonly maxMs: number;
  readonly fetch?: typeof fetch;
}

/** Half of the drain: what has run for this long may well not end within it. */
export const LONG_MS = 55_000;
const LOOK_MS = 10_000;
/** If this process dies, its protection ends by itself. It is renewed long before. */
const EXPIRES_MINUTES = 20;
const RENEW_MS = 5 * 60_000;
/** The break after the longest protection: time for a waiting deployment to stop the worker. */
export const BREAK_MS = 15 * 60_000;

export function protectLongJobs(options: ProtectionOptions): { stop(): Promise<void> } {
  const { clock, log, running } = options;
  const stopped = new AbortController();
  let isProtected = false;
  let askedAt = 0;
  /** Monotonic time at which the present protection began. */
  let protectedSince = 0;
  let breakUntil = Number.NEGATIVE_INFINITY;

  async function ask(enabled: boolean): Promise<void> {
    try {
      const response = await (options.fetch ?? fetch)(`${options.agentUri}/task-protection/v1/state`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(
          enabled
            ? { ProtectionEnabled: true, ExpiresInMinutes: EXPIRES_MINUTES }
            : { ProtectionEnabled: false },
        ),
        signal: AbortSignal.timeout(5_000),
      });
      if (!response.ok) throw new Error(`the agent answered ${response.status}: ${await response.text()}`);
      if (enabled && !isProtected) protectedSince = clock.monotonic();
      isProtected = enabled;
      askedAt = clock.monotonic();
    } catch (error) {
      // asked again at the next look; without protection a long job is interrupted, and runs again elsewhere
      log.warn('the task protection was not changed', { enabled, error });
    }
  }

  const looking = (async () => {
    while (!stopped.signal.aborted) {
      const now = clock.monotonic();
      if (isProtected && now - protectedSince >= options.maxMs) {
        breakUntil = now + BREAK_MS;
        log.info('task protection reached its maximum', { maxMinutes: options.maxMs / 60_000 });
      }
      const isLong = now >= breakUntil && running().some(({ since }) => clock.now() - since >= LONG_MS);
      if (isLong !== isProtected || (isLong && now - askedAt >= RENEW_MS)) await ask(isLong);
      await clock.sleep(LOOK_MS, stopped.signal);
    }
  })();

  return {
    async stop() {
      stopped.abort();
      await looking;
      if (isProtected) await ask(false);
    },
  };
}
