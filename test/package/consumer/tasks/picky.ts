// A custom task of a user's project.
import { DoNotRetry, defineTask } from 'punctual/tasks';
import { z } from 'zod';

const params = z.strictObject({ reason: z.string().describe('the reason of the refusal') });

export const picky = defineTask<z.infer<typeof params>>({
  name: 'picky',
  description: 'Fails for good.',
  params,
  async run({ params: { reason } }) {
    throw new DoNotRetry(reason);
  },
});
