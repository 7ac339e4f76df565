// Creates the jobs of a batch. Each job is created or refused independently.
import type { z } from 'zod';
import { forEachLimit } from '../../concurrency/map-limit.ts';
import { nextSlice } from '../../concurrency/request-turns.ts';
import { cut, InvalidInput } from '../../domain/errors.ts';
import type { Parsed } from '../../domain/validation/validation.ts';
import { type CreateRequest, createJob } from '../../jobs/create-job.ts';
import type { Context } from '../../scheduling/context.ts';
import { contract } from '../contract/contract.ts';
import type { batchShape } from '../contract/response-schemas.ts';
import { parseJson } from '../http/json-values.ts';
import { problemOf } from '../http/problem.ts';
import { type JobRules, parseJobSpec } from './job-input.ts';

export type BatchResult = z.infer<typeof batchShape>['results'][number];

/** Enough for the store to group the writes of several jobs. */
const MAX_CONCURRENT = 32;

export interface BatchRequest extends Pick<CreateRequest, 'userId' | 'idempotencyKey' | 'admit'> {
  readonly jobs: readonly unknown[];
  readonly requestId: string;
}

/** Parses the list but not its jobs, so that an invalid job does not refuse the others. */
export function parseBatch(input: unknown): Parsed<{ jobs: unknown[] }> {
  const { jobs } = Object(input) as { jobs?: unknown };
  if (!Array.isArray(jobs)) return parseJson(contract.createJobs.body, input);
  const { errors } = parseJson(contract.createJobs.body, { ...Object(input), jobs: jobs.map(() => '…') });
  return errors ? { errors } : { value: { jobs } };
}

export async function createBatch(
  context: Context,
  rules: JobRules,
  { jobs, userId, idempotencyKey, admit, requestId }: BatchRequest,
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  await forEachLimit(jobs, MAX_CONCURRENT, async (input, index) => {
    // A caller's key has no spaces, so this key collides with none.
    const key = idempotencyKey === undefined ? undefined : `${idempotencyKey} ${index}`;
    try {
      await nextSlice();
      const { value: spec, errors } = parseJobSpec(rules, input);
      if (errors) throw new InvalidInput(errors);
      const { job } = await createJob(context, { userId, spec, idempotencyKey: key, admit });
      results[index] = { status: 201, job };
    } catch (error) {
      const { problem, unexpected } = problemOf(error, requestId);
      if (unexpected) context.log.error('failed to create a job of a batch', { requestId, index, error });
      results[index] = { status: problem.status, error: problem };
    }
  });
  return shortened(results);
}

/** Refused jobs that are described in full. */
const MAX_IN_FULL = 10;
const MAX_DETAIL = 200;

/** The errors of all jobs together would be many times the size of the request. */
function shortened(results: readonly BatchResult[]): BatchResult[] {
  let refused = 0;
  return results.map((result) => {
    if (!('error' in result) || ++refused <= MAX_IN_FULL) return result;
    const { errors: _, detail, ...error } = result.error;
    return { ...result, error: { ...error, detail: cut(detail, MAX_DETAIL) } };
  });
}
