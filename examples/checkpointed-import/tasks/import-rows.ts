// Imports the lines of a file. After a crash, a timeout or a deployment it continues where it stopped.
import { open } from 'node:fs/promises';
import { DoNotRetry, defineTask } from 'punctual/tasks';
import { z } from 'zod';

const ROWS_PER_CHECKPOINT = 100;

/** Stores rows. `fence` grows with every attempt, so a database can refuse the writes of an older one. */
export type Save = (rows: readonly string[], fence: number) => Promise<void>;

export const createImportRows = (save: Save) =>
  defineTask({
    name: 'import-rows',
    description: 'Imports the lines of a file, 100 at a time.',
    params: z.strictObject({ file: z.string().describe('path of the file') }),
    async run({ params: { file }, lastCheckpoint, checkpoint, signal, fence }) {
      const imported = z.int().catch(0).parse(lastCheckpoint);
      const source = await open(file).catch((error: Error) => {
        throw new DoNotRetry(`the file cannot be read: ${error.message}`);
      });
      let line = 0;
      let rows: string[] = [];
      const flush = async () => {
        await save(rows, fence);
        rows = [];
        await checkpoint(line);
      };
      for await (const row of source.readLines()) {
        signal.throwIfAborted();
        line++;
        if (line <= imported) continue;
        rows.push(row);
        if (rows.length === ROWS_PER_CHECKPOINT) await flush();
      }
      if (rows.length > 0) await flush();
      return { lines: line, skipped: imported };
    },
  });
