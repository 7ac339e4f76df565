// A store in memory, a queue that only collects, and a clock that stands still until it is moved.
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import type { Message } from '../../src/queue/queue.ts';
import { systemRandom } from '../../src/runtime/system.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';

export const NOON = Date.parse('2026-12-01T12:00:00Z');
export const MINUTE = 60_000;

export function standingWorld() {
  const world = {
    now: NOON,
    sent: [] as Message[],
    errors: [] as string[],
    store: new MemoryStore({ shards: 1 }),
  };
  const quiet = () => {};
  const context: Context = {
    store: world.store,
    queue: { send: async (messages) => void world.sent.push(...messages) },
    clock: {
      now: () => world.now,
      monotonic: () => world.now,
      // only what is aborted goes on; a pause between two tries takes no time
      sleep: (ms, signal) =>
        signal && ms > 1000
          ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
          : Promise.resolve(),
    },
    random: systemRandom,
    log: { debug: quiet, info: quiet, warn: quiet, error: (message) => void world.errors.push(message) },
    settings: { ...DEFAULT_SETTINGS, shards: 1 },
  };
  const create = async (spec: Record<string, unknown>, idempotencyKey?: string): Promise<string> => {
    const { job } = await createJob(context, {
      userId: 'ann',
      idempotencyKey,
      spec: jobSpecSchema.parse({ task: 'noop', ...spec }),
    });
    return job.id;
  };
  return Object.assign(world, { context, create });
}
