// The task that runs in the harness's worker process. It calls the harness's handler.
import { z } from 'zod';
import { defineTask } from '../../../src/tasks/task.ts';

export interface Job {
  readonly id: number;
  readonly due: number;
  readonly hold?: number;
}
export type OnJob = (job: Job) => Promise<void> | undefined;

const params = z.object({ id: z.int(), due: z.int().optional(), hold: z.int().optional() });

let handler: OnJob = () => undefined;
export const handleBy = (onJob: OnJob): void => {
  handler = onJob;
};

export const peer = defineTask<z.infer<typeof params>>({
  name: 'peer',
  description: 'Tells the harness.',
  params,
  async run({ params: job, dueAt }) {
    await handler({ due: dueAt.getTime(), ...job });
  },
});
