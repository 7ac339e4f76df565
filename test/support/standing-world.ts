// A standing world: a store in memory, a queue that only collects messages, and a clock that a test sets.
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import type { Message } from '../../src/queue/queue.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import type { Claimed, ClaimResult } from '../../src/scheduling/claiming/claim-result.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { MemoryStore, rowKey } from '../../src/store/memory/memory-store.ts';
import { claimStepByStep, type ExecutionKey } from '../../src/store/store.ts';
import { NOON } from './standing-clock.ts';

export { at, MINUTE, NOON } from './standing-clock.ts';

/** The user who owns the jobs of a standing world. */
export const USER = 'ann';

/** Due at 12:01 and every minute after that. */
export const EVERY_MINUTE = { schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' } };

/** The outcome of an attempt without a result. */
export const SUCCEEDED = { kind: 'succeeded', result: undefined } as const;

/** Sleeps longer than this end by an abort only. Shorter ones, such as the pause between two tries, take no time. */
const MAX_PAUSE_MS = 1000;

export type StandingWorld = ReturnType<typeof standingWorld>;

export function standingWorld() {
  const world = {
    now: NOON,
    sent: [] as Message[],
    errors: [] as string[],
    store: new MemoryStore({ shards: 1 }),
  };
  // single writes, as on DynamoDB
  world.store.claim = (writes) => claimStepByStep(world.store, writes);
  const quiet = () => {};
  const context: Context = {
    store: world.store,
    queue: { send: async (messages) => void world.sent.push(...messages) },
    clock: {
      now: () => world.now,
      monotonic: () => world.now,
      sleep: (ms, signal) =>
        signal && ms > MAX_PAUSE_MS
          ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
          : Promise.resolve(),
    },
    random: systemRandom,
    log: { debug: quiet, info: quiet, warn: quiet, error: (message) => void world.errors.push(message) },
    settings: { ...DEFAULT_SETTINGS, shards: 1 },
  };
  /** Creates a job with the task `noop`, and returns its id. */
  const create = async (spec: Record<string, unknown>, idempotencyKey?: string): Promise<string> => {
    const { job } = await createJob(context, {
      userId: USER,
      idempotencyKey,
      spec: jobSpecSchema.parse({ task: 'noop', ...spec }),
    });
    return job.id;
  };
  const head = (jobId: string): Head => {
    const found = world.store.heads.get(jobId);
    if (!found) throw new Error(`there is no job ${jobId}`);
    return found;
  };
  const row = (execution: ExecutionKey): Row | undefined => world.store.rows.get(rowKey(execution));
  /** The message that was sent for the occurrence of a job due at `dueAt`. */
  const message = (jobId: string, dueAt: number): Message => {
    const found = world.sent.find((sent) => sent.jobId === jobId && sent.due === dueKey(dueAt));
    if (!found) throw new Error(`no message of ${jobId} due ${new Date(dueAt).toISOString()} was sent`);
    return found;
  };
  return Object.assign(world, { context, create, head, row, message });
}

/** The execution that a claim has won. */
export function claimedOf(result: ClaimResult): Claimed {
  if (result.kind !== 'run') throw new Error(`the claim answered ${result.kind}`);
  return result.claimed;
}
