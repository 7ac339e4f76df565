// Task protection: ECS does not stop a protected task when it scales in or deploys. A worker asks for protection while a
// long job runs. Short jobs end within the drain. Protection has a maximum, because a deployment waits for it. A worker
// that always had a long job could never be replaced. CloudFormation times out a service update after about 3 hours.
import type { Clock, Log } from '../scheduling/context.ts';

export interface ProtectionOptions {
  /** ECS_AGENT_URI, which every container on ECS has. */
  readonly agentUri: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The start times of the jobs that run now. */
  running(): readonly { readonly since: number }[];
  /** The longest protection without a break. */
  readonly maxMs: number;
  readonly fetch?: typeof fetch;
}

/** Half of the drain. A job that has run for this long may not end within the drain. */
export const LONG_MS = 55_000;
const CHECK_MS = 10_000;
/** If this process dies, its protection ends by itself. It is renewed long before. */
const EXPIRES_MINUTES = 20;
const RENEW_MS = 5 * 60_000;
/** The break after the longest protection: time for a waiting deployment to stop the worker. */
export const BREAK_MS = 15 * 60_000;

export function protectLongJobs(options: ProtectionOptions): { stop(): Promise<void> } {
  const { clock, log, running } = options;
  const stopped = new AbortController();
  let isProtected = false;
  let requestedAt = 0;
  /** Monotonic time at which the present protection began. */
  let protectedSince = 0;
  let breakUntil = Number.NEGATIVE_INFINITY;

  async function request(enabled: boolean): Promise<void> {
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
      requestedAt = clock.monotonic();
    } catch (error) {
      // retried at the next check. Without protection a long job is interrupted, and runs again on another worker
      log.warn('failed to change the task protection', { enabled, error });
    }
  }

  const checking = (async () => {
    while (!stopped.signal.aborted) {
      const now = clock.monotonic();
      if (isProtected && now - protectedSince >= options.maxMs) {
        breakUntil = now + BREAK_MS;
        log.info('task protection reached its maximum', { maxMinutes: options.maxMs / 60_000 });
      }
      const isLong = now >= breakUntil && running().some(({ since }) => clock.now() - since >= LONG_MS);
      if (isLong !== isProtected || (isLong && now - requestedAt >= RENEW_MS)) await request(isLong);
      await clock.sleep(CHECK_MS, stopped.signal);
    }
  })();

  return {
    async stop() {
      stopped.abort();
      await checking;
      if (isProtected) await request(false);
    },
  };
}
