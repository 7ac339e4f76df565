// Many jobs in one request: each is created or refused on its own, and the answer says so in their order.
import type { z } from 'zod';
import { forEachLimit } from '../../concurrency/map-limit.ts';
import { InvalidInput } from '../../domain/errors.ts';
import type { Parsed } from '../../domain/validation/validation.ts';
import { type CreateRequest, createJob } from '../../jobs/create-job.ts';
import type { Context } from '../../scheduling/context.ts';
import { contract } from '../contract/contract.ts';
import type { batchShape } from '../contract/response-schemas.ts';
import { parseJson } from '../http/json-values.ts';
import { problemOf } from '../http/problem.ts';
import { type JobRules, parseJobSpec } from './job-input.ts';

export type BatchResult = z.infer<typeof batchShape>['results'][number];

/** Enough for the writes of many to go together. */
const AT_ONCE = 32;

export interface BatchRequest extends Pick<CreateRequest, 'userId' | 'idempotencyKey' | 'admit'> {
  readonly jobs: readonly unknown[];
  readonly requestId: string;
}

/** The list, with its jobs as they are. Each is parsed on its own: what is wrong with one refuses that one alone. */
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
  await forEachLimit(jobs, AT_ONCE, async (input, index) => {
    // a space can be in no caller's key, so this is nobody else's
    const key = idempotencyKey === undefined ? undefined : `${idempotencyKey} ${index}`;
    try {
      const { value: spec, errors } = parseJobSpec(rules, input);
      if (errors) throw new InvalidInput(errors);
      const { job } = await createJob(context, { userId, spec, idempotencyKey: key, admit });
      results[index] = { status: 201, job };
    } catch (error) {
      const { problem, unexpected } = problemOf(error, requestId);
      if (unexpected) context.log.error('a job of a batch was not created', { requestId, index, error });
      results[index] = { status: problem.status, error: problem };
    }
  });
  return results;
}
