// The real handlers and use cases on the in-memory store, at a time that stands still.
import { createApi } from '../../src/api/handler.ts';
import { routes } from '../../src/api/routes.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createLog } from '../../src/system.ts';
import { builtinTasks } from '../../src/tasks/builtin.ts';
import { MemoryQueue } from '../simulation/memory-queue.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { type Call, caller } from './events.ts';

export const NOW = Date.parse('2026-11-16T12:00:00.000Z');

export function testApi() {
  const store = new MemoryStore({ shards: DEFAULT_SETTINGS.shards });
  const queue = new MemoryQueue();
  const logged: Record<string, unknown>[] = [];
  let now = NOW;
  let made = 0;
  const ctx: Context = {
    store,
    queue,
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    },
    random: { id: (length) => String(++made).padStart(length, '0'), float: () => 0.5 },
    log: createLog('debug', {}, (line) => logged.push(JSON.parse(line))),
    settings: DEFAULT_SETTINGS,
  };
  const call = caller(createApi(routes(ctx, builtinTasks()), { log: ctx.log }));
  return {
    store,
    queue,
    ctx,
    logged,
    call,
    tick: (ms = 1) => {
      now += ms;
    },
    /** How many things of any kind are stored. */
    stored: () => {
      const { heads, rows, holds, entries } = store.snapshot();
      return (
        heads.length +
        rows.length +
        holds.length +
        entries.length +
        store.definitions.size +
        queue.messages.length
      );
    },
    create: async (body: Record<string, unknown> = {}, options: Call = {}) => {
      const answer = await call('POST', '/jobs', { ...options, body: { task: 'noop', ...body } });
      if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}
