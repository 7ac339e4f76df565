// The task of the benchmarks. It first writes its start time to a file, independently of the ledger, so that the time
// survives a kill -9.
import { openSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { defineTask } from '../../../src/tasks/task.ts';
import { STARTS_VARIABLE, type Start } from '../starts.ts';

const params = z.strictObject({ hold: z.int().min(0).optional() });

const path = process.env[STARTS_VARIABLE];
const file = path === undefined ? undefined : openSync(path, 'a');

export const bench = defineTask<z.infer<typeof params>>({
  name: 'bench',
  description: 'Records its start time, and then runs for `hold` ms.',
  params,
  async run({ params: { hold }, jobId, dueAt, signal }) {
    const start: Start = { at: Date.now(), jobId, due: dueAt.getTime(), pid: process.pid };
    if (file !== undefined) writeSync(file, `${JSON.stringify(start)}\n`);
    if (hold) await wait(hold, undefined, { signal });
  },
});
