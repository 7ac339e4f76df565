// The producer of the AWS path. It creates jobs like a client of the API, without HTTP.
import { type BatchResult, createBatch } from '../../src/api/handlers/create-batch.ts';
import type { JobRules } from '../../src/api/handlers/job-input.ts';
import { forEachLimit } from '../../src/concurrency/map-limit.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { NO_RECIPIENTS } from '../../src/tasks/aws/recipients.ts';
import type { Task, Tasks } from '../../src/tasks/task.ts';
import { type Spec, USER } from '../system/specs.ts';
import { bench } from '../system/tasks/bench.ts';

/** The maximum number of jobs in one request of the API. */
const PER_BATCH = 100;
const BATCHES_AT_ONCE = 4;

const benchTasks: Tasks = new Map([[bench.name, bench as Task<unknown>]]);

export const benchRules: JobRules = { tasks: benchTasks, recipients: NO_RECIPIENTS };

/** Creates jobs in batches, and returns their ids in order. A refused job stops the benchmark. */
export async function createJobs(context: Context, specs: readonly Spec[]): Promise<string[]> {
  const ids: string[] = [];
  const batches = Array.from(
    { length: Math.ceil(specs.length / PER_BATCH) },
    (_, index) => index * PER_BATCH,
  );
  await forEachLimit(batches, BATCHES_AT_ONCE, async (first) => {
    const jobs = specs.slice(first, first + PER_BATCH);
    const results = await createBatch(context, benchRules, { jobs, userId: USER, requestId: 'bench' });
    results.forEach((result, index) => {
      ids[first + index] = idOf(result);
    });
  });
  return ids;
}

function idOf(result: BatchResult): string {
  if ('job' in result && result.job) return result.job.id;
  throw new Error(`a job was not created: ${JSON.stringify(result)}`);
}
