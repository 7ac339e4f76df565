// The operations of the API on jobs.
import { z } from 'zod';
import { MAX_BACKFILLED } from '../../domain/jobs/background-operation.ts';
import { changeShape } from '../../domain/jobs/change.ts';
import { jobPatchSchema, jobSpecSchema, noteSchema } from '../../domain/jobs/job-spec.ts';
import { explanationShape } from '../../domain/views/explanation.ts';
import { operation } from './endpoint.ts';
import { idempotencyKey, ifMatch, instant, jobPath, jobsQuery, paging } from './request-schemas.ts';
import {
  acceptedShape,
  batchShape,
  executionShape,
  jobShape,
  jobSummaryShape,
  pageOf,
  plannedShape,
} from './response-schemas.ts';

/** Maximum number of jobs in one request of createJobs. */
export const MAX_IN_A_BATCH = 100;

const noteBody = z.strictObject({ note: noteSchema }).optional();

const etag = { etag: 'The version of the job, for `If-Match`.' };

export const jobs = {
  createJob: operation({
    id: 'createJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs',
    summary: 'Create a job',
    description:
      'A job without a schedule runs immediately. With `Prefer: respond-async`, the job is validated and queued, and the response has its id. The job exists a moment later. This absorbs bursts. Relative times such as `in` count from the acceptance.',
    auth: true,
    headers: z.object({
      'idempotency-key': idempotencyKey,
      prefer: z
        .string()
        .max(1000)
        .optional()
        .describe(
          '`respond-async` queues the job instead of creating it during the request. Other preferences are ignored.',
        ),
    }),
    body: jobSpecSchema,
    success: {
      status: 201,
      description: 'The job, created now or by an earlier request with the same `Idempotency-Key`.',
      body: jobShape,
      headers: { location: 'The path of the job.', ...etag },
    },
    alternative: {
      status: 202,
      description: 'The job is accepted and will be created with this id.',
      body: acceptedShape,
      headers: { location: 'The path of the job.', 'preference-applied': '`respond-async`.' },
    },
    errors: [409, 422, 429],
  }),
  createJobs: operation({
    id: 'createJobs',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/batch',
    summary: `Create up to ${MAX_IN_A_BATCH} jobs`,
    description:
      'Each job is created or refused independently. An `Idempotency-Key` applies to each job together with its index: a repeated request with the same list creates no job twice.',
    auth: true,
    headers: z.object({ 'idempotency-key': idempotencyKey }),
    // Each job is validated independently, so the list accepts any value.
    body: z.strictObject({
      jobs: z
        .array(z.unknown().meta({ $ref: '#/components/schemas/NewJob' }))
        .min(1)
        .max(MAX_IN_A_BATCH),
    }),
    success: {
      status: 207,
      description: 'The result of each job, in the order of the request.',
      body: batchShape,
    },
    errors: [],
  }),
  listJobs: operation({
    id: 'listJobs',
    service: 'query',
    method: 'GET',
    path: '/jobs',
    summary: 'List your jobs, newest first',
    description:
      'A page examines at most 1000 jobs. With a filter that few jobs match, a page may be short or empty and still have a `nextCursor`. With `owner`, operators list the jobs of another user. `view=summary&include=recent` is the list for people: it costs about 2 RRU per job.',
    auth: true,
    query: jobsQuery,
    success: {
      status: 200,
      description: 'A page of jobs. With `view=summary`, each is a `JobSummary`.',
      body: pageOf(z.union([jobShape, jobSummaryShape])),
    },
    errors: [403],
  }),
  getJob: operation({
    id: 'getJob',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}',
    summary: 'Get a job with its next run and its last execution',
    auth: true,
    params: jobPath,
    success: { status: 200, description: 'The job.', body: jobShape, headers: etag },
    errors: [],
  }),
  listChanges: operation({
    id: 'listChanges',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}/changes',
    summary: 'List the changes of a job, newest first',
    description:
      'Every create, edit, pause, resume and cancel is recorded with the user, the time and the changed fields. For `params` and `notify`, only the job version that introduced them is recorded, never their content. For a job created by a version of the service without these records, the list starts with its next change.',
    auth: true,
    params: jobPath,
    query: z.strictObject(paging),
    success: { status: 200, description: 'A page of changes.', body: pageOf(changeShape) },
    errors: [],
  }),
  explainJob: operation({
    id: 'explainJob',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}/explain',
    summary: 'Explain why a job did or did not run at a time',
    description:
      'The occurrence nearest to `at` is explained, if it is at most 60 seconds away. A manual run near `at` is explained, too. The verdict rests on the execution, the changes of the job, its schedule of that time, the cursors of the watcher and the heartbeats of the workers.',
    auth: true,
    params: jobPath,
    query: z.strictObject({
      at: instant.optional().describe('default: the latest time at which the job was due'),
    }),
    success: { status: 200, description: 'The explanation.', body: explanationShape },
    errors: [],
  }),
  editJob: operation({
    id: 'editJob',
    service: 'scheduler',
    method: 'PATCH',
    path: '/jobs/{id}',
    summary: 'Edit a job',
    description:
      'Fields that are not given keep their values. `retry` and `misfire` are edited field by field. `params`, `notify`, `tags`, `schedule` and `limit` are replaced as a whole, and `limit: null` removes the limit. A new schedule takes effect immediately: occurrences of the old one do not start any more. Running executions continue. If a job refers to secrets of its owner, an operator who changes `task`, `params` or `notify` must remove the references, or the response is 403.',
    auth: true,
    params: jobPath,
    headers: z.object({ 'if-match': ifMatch }),
    body: jobPatchSchema,
    success: { status: 200, description: 'The updated job.', body: jobShape, headers: etag },
    errors: [403, 409, 412, 422, 429],
  }),
  cancelJob: operation({
    id: 'cancelJob',
    service: 'scheduler',
    method: 'DELETE',
    path: '/jobs/{id}',
    summary: 'Cancel a job permanently',
    description: 'No execution of the job starts again. Running tasks are asked to stop.',
    auth: true,
    params: jobPath,
    query: z.strictObject({ note: noteSchema }),
    success: { status: 204, description: 'The job is cancelled.' },
    errors: [409],
  }),
  runJob: operation({
    id: 'runJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/run',
    summary: 'Run a job now',
    description: 'A paused job runs, too. The schedule does not change.',
    auth: true,
    params: jobPath,
    body: z
      .strictObject({
        params: jobSpecSchema.shape.params
          .unwrap()
          .optional()
          .describe("params for this run and its retries, instead of the job's own; at most 32 KiB"),
      })
      .optional(),
    success: {
      status: 202,
      description: 'The new execution.',
      body: executionShape,
      headers: { location: 'The path of the execution.' },
    },
    errors: [403, 409],
  }),
  pauseJob: operation({
    id: 'pauseJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/pause',
    summary: 'Pause a job',
    description:
      'No occurrence starts until the job is resumed. Running executions continue. With `until`, the job is resumed automatically at that time. If the schedule has no occurrence after `until`, the response is 422.',
    auth: true,
    params: jobPath,
    body: z
      .strictObject({
        note: noteSchema,
        until: instant.optional().describe('end of the pause, in the future'),
      })
      .optional(),
    success: { status: 200, description: 'The updated job.', body: jobShape, headers: etag },
    errors: [409, 422],
  }),
  resumeJob: operation({
    id: 'resumeJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/resume',
    summary: 'Resume a paused job',
    description: 'Occurrences that were due during the pause do not run.',
    auth: true,
    params: jobPath,
    body: noteBody,
    success: { status: 200, description: 'The updated job.', body: jobShape, headers: etag },
    errors: [409, 422],
  }),
  backfillJob: operation({
    id: 'backfillJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/backfill',
    summary: 'Run the past occurrences of a time range that have no execution',
    description:
      'A background operation adds the executions. `GET /operations/{id}` shows its progress, `DELETE /operations/{id}` stops it. The operation continues while the job is paused. It stops if the job is cancelled or its schedule is edited.',
    auth: true,
    params: jobPath,
    body: z.strictObject({
      from: instant.describe('first due time'),
      to: instant.describe(
        `due before this time; the range may have at most ${MAX_BACKFILLED} occurrences, including those with an execution`,
      ),
    }),
    success: {
      status: 202,
      description: 'The backfill is accepted.',
      body: plannedShape,
      headers: { location: 'The path of the operation.' },
    },
    errors: [409],
  }),
};
