// The REST contract: every operation, what it takes and what it answers. API.md in code.
import { z } from 'zod';
import { jobSpecSchema } from '../domain/job-spec.ts';
import { type Operation, operation } from './operation.ts';
import { EXECUTION_STATUSES, executionShape, JOB_STATUSES, jobShape, pageOf } from './shapes.ts';

const jobId = z.strictObject({ id: z.string().regex(/^job_[0-9a-zA-Z]{20}$/) });
const executionId = z.strictObject({
  id: z.string().regex(/^job_[0-9a-zA-Z]{20}\.\d{13}(-[0-9a-zA-Z]{1,16})?$/),
});

const paging = {
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(2048).optional().describe('`nextCursor` of the page before'),
};

/** Epoch milliseconds inside, ISO 8601 with an offset outside. */
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const tag = z
  .string()
  .regex(/^[^:]{1,64}:.{0,128}$/s, {
    error: (issue) => `must be key:value, got ${JSON.stringify(issue.input)}`,
  })
  .transform((text) => {
    const colon = text.indexOf(':');
    return { key: text.slice(0, colon), value: text.slice(colon + 1) };
  });

export const contract = {
  createJob: operation({
    id: 'createJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs',
    summary: 'Create a job',
    auth: true,
    headers: z.object({
      'idempotency-key': z
        .string()
        .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters without spaces' })
        .optional()
        .describe(
          'a retry with the same key and body returns the first job; with another body it is refused',
        ),
    }),
    body: jobSpecSchema,
    success: {
      status: 201,
      description: 'The job, created now or by an earlier request with the same key',
      body: jobShape,
      headers: { location: 'The path of the job', etag: 'Its version' },
    },
    errors: [409, 413, 415, 422],
  }),
  listJobs: operation({
    id: 'listJobs',
    service: 'query',
    method: 'GET',
    path: '/jobs',
    summary: 'Your jobs, newest first',
    auth: true,
    query: z.strictObject({
      status: z.enum(JOB_STATUSES).optional(),
      task: z.string().min(1).max(64).optional(),
      name: z.string().min(1).max(100).optional().describe('a prefix'),
      tag: tag.optional().describe('key:value'),
      ...paging,
    }),
    success: { status: 200, description: 'A page of jobs', body: pageOf(jobShape) },
    errors: [],
  }),
  getJob: operation({
    id: 'getJob',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}',
    summary: 'A job, with its next run and its last execution',
    auth: true,
    params: jobId,
    success: { status: 200, description: 'The job', body: jobShape, headers: { etag: 'Its version' } },
    errors: [404],
  }),
  cancelJob: operation({
    id: 'cancelJob',
    service: 'scheduler',
    method: 'DELETE',
    path: '/jobs/{id}',
    summary: 'Cancel a job: nothing of it starts again; what runs is told to stop',
    auth: true,
    params: jobId,
    success: { status: 204, description: 'Cancelled' },
    errors: [404],
  }),
  runJob: operation({
    id: 'runJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/run',
    summary: 'Run a job now; its schedule stays as it is',
    auth: true,
    params: jobId,
    success: {
      status: 202,
      description: 'The execution that was started',
      body: executionShape,
      headers: { location: 'The path of the execution' },
    },
    errors: [404, 409],
  }),
  listJobExecutions: operation({
    id: 'listJobExecutions',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}/executions',
    summary: 'The executions of a job, newest first',
    auth: true,
    params: jobId,
    query: z.strictObject({
      status: z.enum(EXECUTION_STATUSES).optional(),
      from: time.optional().describe('due at or after'),
      to: time.optional().describe('due before'),
      ...paging,
    }),
    success: { status: 200, description: 'A page of executions', body: pageOf(executionShape) },
    errors: [404],
  }),
  getExecution: operation({
    id: 'getExecution',
    service: 'query',
    method: 'GET',
    path: '/executions/{id}',
    summary: 'An execution, with its timeline',
    auth: true,
    params: executionId,
    success: { status: 200, description: 'The execution', body: executionShape },
    errors: [404],
  }),
  health: operation({
    id: 'health',
    service: 'query',
    method: 'GET',
    path: '/health',
    summary: 'Whether the service and its store answer',
    auth: false,
    success: { status: 200, description: 'They do', body: z.strictObject({ status: z.literal('ok') }) },
    errors: [503],
  }),
};

export const operations: readonly Operation[] = Object.values(contract);
