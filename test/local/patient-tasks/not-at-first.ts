// A custom task for a test: it has no room the first two times.
import { z } from 'zod';
import { defineTask, Snooze } from '../../../src/tasks/task.ts';

let asked = 0;

export const notAtFirst = defineTask<Record<string, never>>({
  name: 'not-at-first',
  description: 'Hands itself back twice, then succeeds.',
  params: z.strictObject({}),
  async run({ attempt }) {
    if (++asked <= 2) throw new Snooze(0.3, 'no room');
    return { asked, attempt };
  },
});
