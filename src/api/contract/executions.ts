// What the API does with executions, and with those of them that failed for good.
import { z } from 'zod';
import { operation } from './endpoint.ts';
import {
  executionId,
  executionPath,
  executionsQuery,
  instant,
  jobId,
  jobPath,
  paging,
  range,
} from './request-schemas.ts';
import { executionShape, pageOf, redrivenShape } from './response-schemas.ts';

export const MAX_REDRIVEN_BY_ID = 100;
export const MAX_REDRIVEN = 1000;

/** A body is not needed, and has no fields. */
const noFields = z.strictObject({}).optional();

export const executions = {
  listJobExecutions: operation({
    id: 'listJobExecutions',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}/executions',
    summary: 'The executions of a job, newest first',
    description: 'With `status=scheduled`: what is to come, soonest first.',
    auth: true,
    params: jobPath,
    query: z.strictObject(executionsQuery),
    success: { status: 200, description: 'A page of executions', body: pageOf(executionShape) },
    errors: [],
  }),
  listExecutions: operation({
    id: 'listExecutions',
    service: 'query',
    method: 'GET',
    path: '/executions',
    summary: 'Your executions over all jobs, newest first',
    description:
      'Everything that has a row: what has ended, waits, is retried or was started by hand. What runs for the first time gets its row when it ends; until then it is found with `status=running` or `workerId`, which ask the workers (at most one heartbeat behind). With `status=scheduled`: the next occurrence of each active job, newest job first.',
    auth: true,
    query: z.strictObject({
      ...executionsQuery,
      workerId: z.string().min(1).max(256).optional().describe('what this worker runs now'),
    }),
    success: { status: 200, description: 'A page of executions', body: pageOf(executionShape) },
    errors: [],
  }),
  getExecution: operation({
    id: 'getExecution',
    service: 'query',
    method: 'GET',
    path: '/executions/{id}',
    summary: 'An execution, with its timeline',
    auth: true,
    params: executionPath,
    success: { status: 200, description: 'The execution', body: executionShape },
    errors: [],
  }),
  cancelExecution: operation({
    id: 'cancelExecution',
    service: 'scheduler',
    method: 'POST',
    path: '/executions/{id}/cancel',
    summary: 'Cancel an execution: it does not start, or is told to stop',
    auth: true,
    params: executionPath,
    body: noFields,
    success: { status: 202, description: 'The execution as it is now', body: executionShape },
    errors: [409],
  }),
  retryExecution: operation({
    id: 'retryExecution',
    service: 'scheduler',
    method: 'POST',
    path: '/executions/{id}/retry',
    summary: 'Run a failed, cancelled or skipped execution again, with fresh attempts',
    auth: true,
    params: executionPath,
    body: noFields,
    success: { status: 202, description: 'The execution as it is now', body: executionShape },
    errors: [409],
  }),
  listDeadLetters: operation({
    id: 'listDeadLetters',
    service: 'query',
    method: 'GET',
    path: '/dead-letters',
    summary: 'Failed executions that await a decision: your own, for operators all',
    description: 'By due time, newest first; for operators in no order, each exactly once.',
    auth: true,
    query: z.strictObject({ jobId: jobId.optional(), ...range, ...paging }),
    success: { status: 200, description: 'A page of failed executions', body: pageOf(executionShape) },
    errors: [],
  }),
  redriveDeadLetters: operation({
    id: 'redriveDeadLetters',
    service: 'scheduler',
    method: 'POST',
    path: '/dead-letters/redrive',
    summary: 'Run failed executions again, by their ids or those of a job',
    description: `By ids: up to ${MAX_REDRIVEN_BY_ID}; 404, and nothing happens, when one is not there. Of a job: up to ${MAX_REDRIVEN} a call, newest first; call again until it answers 0. What is no longer failed is passed over.`,
    auth: true,
    body: z.union([
      z.strictObject({ ids: z.array(executionId).min(1).max(MAX_REDRIVEN_BY_ID) }),
      z.strictObject({ jobId, from: instant.optional(), to: instant.optional() }),
    ]),
    success: { status: 202, description: 'They run again', body: redrivenShape },
    errors: [404, 409],
  }),
};
