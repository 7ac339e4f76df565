// An example of a custom task: long work in steps, with a checkpoint after each step. An attempt that is interrupted, even by
// kill -9, loses one step at most.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { defineTask } from '../src/tasks/task.ts';

const params = z.strictObject({
  to: z.int().min(1).max(10_000).describe('last number'),
  stepMs: z.int().min(0).max(60_000).default(1000).describe('duration of a step in milliseconds'),
});

export const countSlowly = defineTask<z.infer<typeof params>>({
  name: 'count-slowly',
  description: 'Counts in steps. After an interruption it continues where it stopped.',
  params,
  async run({ params: { to, stepMs }, signal, attempt, lastCheckpoint, checkpoint, log }) {
    const from = Number(lastCheckpoint ?? 0);
    log.info('start counting', { from, to, attempt });
    for (let count = from + 1; count <= to; count++) {
      // An abort (cancel, timeout, shutdown) ends the wait at once.
      await wait(stepMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      await checkpoint(count);
    }
    return { to, resumedFrom: from, attempt };
  },
});
