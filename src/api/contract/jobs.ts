// What the API does with jobs.
import { z } from 'zod';
import { MAX_BACKFILLED } from '../../domain/jobs/background-operation.ts';
import { changeShape } from '../../domain/jobs/change.ts';
import { jobPatchSchema, jobSpecSchema, noteSchema } from '../../domain/jobs/job-spec.ts';
import { operation } from './endpoint.ts';
import { idempotencyKey, ifMatch, instant, jobPath, jobsQuery, paging } from './request-schemas.ts';
import {
  acceptedShape,
  batchShape,
  executionShape,
  jobShape,
  pageOf,
  plannedShape,
} from './response-schemas.ts';

export const MAX_IN_A_BATCH = 100;

const noteBody = z.strictObject({ note: noteSchema }).optional();

const etag = { etag: 'The version of the job, for If-Match' };

export const jobs = {
  createJob: operation({
    id: 'createJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs',
    summary: 'Create a job',
    description:
      'With `Prefer: respond-async` the job is checked, its id is chosen and it is queued: a burst is absorbed, and the job is there a moment later. Times such as `in` count from the acceptance.',
    auth: true,
    headers: z.object({
      'idempotency-key': idempotencyKey,
      prefer: z
        .string()
        .max(1000)
        .optional()
        .describe('`respond-async`: accept now, create soon. Other preferences are ignored'),
    }),
    body: jobSpecSchema,
    success: {
      status: 201,
      description: 'The job, created now or by an earlier request with the same key',
      body: jobShape,
      headers: { location: 'The path of the job', ...etag },
    },
    alternative: {
      status: 202,
      description: 'Accepted: the job will be created under this id',
      body: acceptedShape,
      headers: { location: 'The path of the job to come', 'preference-applied': '`respond-async`' },
    },
    errors: [409, 422, 429],
  }),
  createJobs: operation({
    id: 'createJobs',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/batch',
    summary: `Create up to ${MAX_IN_A_BATCH} jobs, each accepted or refused on its own`,
    description:
      'An `Idempotency-Key` counts for each job together with its place in the list: repeated with the same list, the batch creates nothing twice.',
    auth: true,
    headers: z.object({ 'idempotency-key': idempotencyKey }),
    // each element is checked on its own, so the envelope takes anything
    body: z.strictObject({
      jobs: z
        .array(z.unknown().meta({ $ref: '#/components/schemas/NewJob' }))
        .min(1)
        .max(MAX_IN_A_BATCH),
    }),
    success: {
      status: 207,
      description: 'What became of each job, in the order given',
      body: batchShape,
    },
    errors: [],
  }),
  listJobs: operation({
    id: 'listJobs',
    service: 'query',
    method: 'GET',
    path: '/jobs',
    summary: 'Your jobs, newest first',
    description:
      'A page looks at no more than 1000 jobs: with a filter that few match it may be short, or empty, and still have a `nextCursor`.',
    auth: true,
    query: jobsQuery,
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
    params: jobPath,
    success: { status: 200, description: 'The job', body: jobShape, headers: etag },
    errors: [],
  }),
  listChanges: operation({
    id: 'listChanges',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}/changes',
    summary: 'What people changed in a job, newest first',
    description:
      'Each create, edit, pause, resume and cancel: who, when, and the fields that changed. Of `params` and `notify` it says in which version they came, never what they are. Jobs made by an older version of the service have records from their next change on.',
    auth: true,
    params: jobPath,
    query: z.strictObject(paging),
    success: { status: 200, description: 'A page of changes', body: pageOf(changeShape) },
    errors: [],
  }),
  editJob: operation({
    id: 'editJob',
    service: 'scheduler',
    method: 'PATCH',
    path: '/jobs/{id}',
    summary: 'Edit a job: what is given takes the place of what is there',
    description:
      '`retry` and `misfire` are edited field by field; `params`, `notify`, `tags` and `schedule` are replaced as a whole. A new schedule counts at once: an occurrence on its way in the old form does not run. What runs already goes on. An operator cannot change `task`, `params` or `notify` of a job that refers to secrets of its owner (403), unless the references are left out.',
    auth: true,
    params: jobPath,
    headers: z.object({ 'if-match': ifMatch }),
    body: jobPatchSchema,
    success: { status: 200, description: 'The job as it is now', body: jobShape, headers: etag },
    errors: [403, 409, 412, 422, 429],
  }),
  cancelJob: operation({
    id: 'cancelJob',
    service: 'scheduler',
    method: 'DELETE',
    path: '/jobs/{id}',
    summary: 'Cancel a job: nothing of it starts again; what runs is told to stop',
    auth: true,
    params: jobPath,
    query: z.strictObject({ note: noteSchema }),
    success: { status: 204, description: 'Cancelled' },
    errors: [409],
  }),
  runJob: operation({
    id: 'runJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/run',
    summary: 'Run a job now, also a paused one; its schedule stays as it is',
    auth: true,
    params: jobPath,
    body: z
      .strictObject({
        params: jobSpecSchema.shape.params
          .unwrap()
          .optional()
          .describe("in place of the job's own, for this run and its retries; at most 32 KiB"),
      })
      .optional(),
    success: {
      status: 202,
      description: 'The execution that was started',
      body: executionShape,
      headers: { location: 'The path of the execution' },
    },
    errors: [403, 409],
  }),
  pauseJob: operation({
    id: 'pauseJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/pause',
    summary: 'Pause a job: nothing of it starts until it is resumed; what runs goes on',
    description:
      'With `until` it is resumed by itself then. A schedule without an occurrence after that is refused with 422.',
    auth: true,
    params: jobPath,
    body: z
      .strictObject({
        note: noteSchema,
        until: instant.optional().describe('the end of the pause, in the future'),
      })
      .optional(),
    success: { status: 200, description: 'The job as it is now', body: jobShape, headers: etag },
    errors: [409, 422],
  }),
  resumeJob: operation({
    id: 'resumeJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/resume',
    summary: 'Resume a paused job from now on: what fell into the pause stays out',
    auth: true,
    params: jobPath,
    body: noteBody,
    success: { status: 200, description: 'The job as it is now', body: jobShape, headers: etag },
    errors: [409, 422],
  }),
  backfillJob: operation({
    id: 'backfillJob',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/{id}/backfill',
    summary: 'Run the past occurrences of a range that have no row',
    description:
      'The executions are added in the background. `GET /operations/{id}` shows the progress, `DELETE /operations/{id}` stops it. It goes on while the job is paused. It stops when the job is cancelled or its schedule is edited.',
    auth: true,
    params: jobPath,
    body: z.strictObject({
      from: instant.describe('due at or after'),
      to: instant.describe(`due before; at most ${MAX_BACKFILLED} occurrences, those with a row included`),
    }),
    success: {
      status: 202,
      description: 'Accepted; they run one after the other',
      body: plannedShape,
      headers: { location: 'The path of the operation' },
    },
    errors: [409],
  }),
};
