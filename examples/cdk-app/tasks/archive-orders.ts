// A custom task: it runs in the workers, and continues after an interruption.
import { DoNotRetry, defineTask } from 'punctual/tasks';
import { z } from 'zod';

const params = z.strictObject({ pages: z.int().min(0).max(10_000).describe('number of pages to archive') });

export const archiveOrders = defineTask<z.infer<typeof params>>({
  name: 'archive-orders',
  description: 'Archives orders page by page.',
  params,
  async run({ params: { pages }, signal, checkpoint, lastCheckpoint, log }) {
    if (pages === 0) throw new DoNotRetry('there is nothing to archive');
    for (let page = Number(lastCheckpoint ?? 0) + 1; page <= pages; page++) {
      signal.throwIfAborted();
      log.info('archived a page', { page }); // the place of your own code
      await checkpoint(page);
    }
    return { pages };
  },
});
