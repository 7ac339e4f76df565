// The task `noop`: does nothing, for as long and with the outcome it is told. For trying out schedules and policies.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { DoNotRetry, defineTask } from './task.ts';

export const noopParams = z.strictObject({
  durationMs: z.int().min(0).max(43_200_000).optional().describe('how long it takes; default: no time'),
  result: z.unknown().optional().describe('what it returns'),
  failTimes: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe('fails in its first so many attempts, then succeeds'),
  fail: z.boolean().optional().describe('fails at once and is not tried again'),
});

export type NoopParams = z.infer<typeof noopParams>;

export const noop = defineTask<NoopParams>({
  name: 'noop',
  description: 'Does nothing; can take time, return a value or fail, to try out schedules and policies.',
  params: noopParams,
  async run({ params, attempt, signal }) {
    if (params.durationMs)
      await wait(params.durationMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    signal.throwIfAborted();
    if (params.fail) throw new DoNotRetry('told to fail');
    if (attempt <= (params.failTimes ?? 0))
      throw new Error(`told to fail ${params.failTimes} times; this is attempt ${attempt}`);
    return params.result;
  },
});
