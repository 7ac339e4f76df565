// The task `noop`: does nothing for a given time and ends with a given outcome. It is for trying out schedules and policies.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { DoNotRetry, defineTask } from './task.ts';

export const noopParams = z
  .strictObject({
    durationMs: z.int().min(0).max(43_200_000).optional().describe('duration of the run; default 0'),
    result: z.unknown().optional().describe('result of the run'),
    failTimes: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe('number of attempts that fail before one succeeds'),
    fail: z.boolean().optional().describe('if true, the run fails and is not retried'),
  })
  .meta({ examples: [{ durationMs: 500, failTimes: 1, result: { rows: 3 } }] });

export type NoopParams = z.infer<typeof noopParams>;

export const noop = defineTask<NoopParams>({
  name: 'noop',
  description: 'Does nothing. It can take time, return a value or fail, to try out schedules and policies.',
  params: noopParams,
  minDurationMs: (params) => noopParams.safeParse(params).data?.durationMs,
  async run({ params, attempt, signal }) {
    if (params.durationMs)
      await wait(params.durationMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    signal.throwIfAborted();
    if (params.fail) throw new DoNotRetry('params.fail is true');
    if (attempt <= (params.failTimes ?? 0))
      throw new Error(`params.failTimes is ${params.failTimes}, and this is attempt ${attempt}`);
    return params.result;
  },
});
