// An example of a custom task: long work in steps. After each step it saves how far it is, so that an attempt that ends
// badly, even with kill -9, costs no more than one step.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { defineTask } from '../src/tasks/task.ts';

const params = z.strictObject({
  to: z.int().min(1).max(10_000).describe('how far it counts'),
  stepMs: z.int().min(0).max(60_000).default(1000).describe('how long a step takes'),
});

export const countSlowly = defineTask<z.infer<typeof params>>({
  name: 'count-slowly',
  description: 'Counts, and after an interruption goes on where it stopped.',
  params,
  async run({ params: { to, stepMs }, signal, attempt, lastCheckpoint, checkpoint, log }) {
    const from = Number(lastCheckpoint ?? 0);
    log.info(`counting from ${from} to ${to}`, { attempt });
    for (let count = from + 1; count <= to; count++) {
      // wakes up at once when the job is cancelled, its time is over, or the worker shuts down
      await wait(stepMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      await checkpoint(count);
    }
    return { to, resumedFrom: from, attempt };
  },
});
