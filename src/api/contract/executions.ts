// The operations of the API on executions and dead letters.
import { z } from 'zod';
import { MAX_LINES } from '../../domain/executions/log-line.ts';
import { logLineShape } from '../../domain/views/log-line-view.ts';
import { MAX_GROUPED } from '../../queries/group-dead-letters.ts';
import { operation } from './endpoint.ts';
import {
  errorKey,
  executionId,
  executionPath,
  executionsQuery,
  instant,
  jobId,
  jobPath,
  owner,
  paging,
  range,
} from './request-schemas.ts';
import {
  deadLetterGroupsShape,
  dismissedShape,
  executionShape,
  pageOf,
  redrivenShape,
} from './response-schemas.ts';

/** Maximum number of ids in one redrive request. */
export const MAX_REDRIVEN_BY_ID = 100;
/** Maximum number of executions of a job that one redrive request runs again. */
export const MAX_REDRIVEN = 1000;

/** No body, or an empty object. */
const emptyBody = z.strictObject({}).optional();

export const executions = {
  listJobExecutions: operation({
    id: 'listJobExecutions',
    service: 'query',
    method: 'GET',
    path: '/jobs/{id}/executions',
    summary: 'List the executions of a job, newest first',
    description: 'With `status=scheduled`, lists the coming executions, soonest first.',
    auth: true,
    params: jobPath,
    query: z.strictObject(executionsQuery),
    success: { status: 200, description: 'A page of executions.', body: pageOf(executionShape) },
    errors: [],
  }),
  listExecutions: operation({
    id: 'listExecutions',
    service: 'query',
    method: 'GET',
    path: '/executions',
    summary: 'List your executions of all jobs, newest first',
    description:
      'Lists executions that have ended, wait, are being retried or were started manually. An execution in its first attempt is recorded when the attempt ends. Until then, `status=running` or `workerId` finds it. These filters ask the workers and are at most one heartbeat behind. With `status=scheduled`, lists the next occurrence of each active job, newest job first, also if it was cancelled in advance.',
    auth: true,
    query: z.strictObject({
      ...executionsQuery,
      owner,
      workerId: z.string().min(1).max(256).optional().describe('only executions that this worker runs now'),
    }),
    success: { status: 200, description: 'A page of executions.', body: pageOf(executionShape) },
    errors: [403],
  }),
  getExecution: operation({
    id: 'getExecution',
    service: 'query',
    method: 'GET',
    path: '/executions/{id}',
    summary: 'Get an execution with its timeline',
    auth: true,
    params: executionPath,
    success: { status: 200, description: 'The execution.', body: executionShape },
    errors: [],
  }),
  listLogLines: operation({
    id: 'listLogLines',
    service: 'query',
    method: 'GET',
    path: '/executions/{id}/logs',
    summary: 'List the log lines of an execution, oldest first',
    description: `The lines that its task wrote with \`log\`, of all attempts. An embedded server keeps the last ${MAX_LINES} lines and 64 KB of an execution, as long as the execution. On AWS they are in CloudWatch Logs, and appear some seconds after they were written. To follow a task, repeat the request with \`cursor\` set to the id of the last line until \`complete\` is true.`,
    auth: true,
    params: executionPath,
    query: z.strictObject({
      limit: paging.limit.default(100),
      cursor: paging.cursor.describe('`nextCursor` of the previous page, or the `id` of a line'),
    }),
    success: {
      status: 200,
      description: 'A page of log lines.',
      body: pageOf(logLineShape).extend({
        complete: z
          .boolean()
          .describe('whether this is the last page of an execution that has ended, so that no line follows'),
      }),
    },
    errors: [501],
  }),
  cancelExecution: operation({
    id: 'cancelExecution',
    service: 'scheduler',
    method: 'POST',
    path: '/executions/{id}/cancel',
    summary: 'Cancel an execution',
    description: 'An execution that has not started does not start. A running task is asked to stop.',
    auth: true,
    params: executionPath,
    body: emptyBody,
    success: { status: 202, description: 'The updated execution.', body: executionShape },
    errors: [409],
  }),
  retryExecution: operation({
    id: 'retryExecution',
    service: 'scheduler',
    method: 'POST',
    path: '/executions/{id}/retry',
    summary: 'Run a failed, cancelled or skipped execution again',
    description: 'Attempts count from 1 again.',
    auth: true,
    params: executionPath,
    body: emptyBody,
    success: { status: 202, description: 'The updated execution.', body: executionShape },
    errors: [409],
  }),
  listDeadLetters: operation({
    id: 'listDeadLetters',
    service: 'query',
    method: 'GET',
    path: '/dead-letters',
    summary: 'List the dead letters: executions whose last attempt failed',
    description:
      'Users get their own, by due time, newest first. Operators get those of all users, in no particular order, each exactly once. With `owner` they get those of one user, newest first.',
    auth: true,
    query: z.strictObject({
      jobId: jobId.optional(),
      errorKey: errorKey
        .optional()
        .describe('only those of one group of `GET /dead-letters/groups?by=error`'),
      owner,
      ...range,
      ...paging,
    }),
    success: { status: 200, description: 'A page of failed executions.', body: pageOf(executionShape) },
    errors: [403],
  }),
  redriveDeadLetters: operation({
    id: 'redriveDeadLetters',
    service: 'scheduler',
    method: 'POST',
    path: '/dead-letters/redrive',
    summary: 'Redrive dead letters: run failed executions again, by id, by job or by error',
    description: `Takes up to ${MAX_REDRIVEN_BY_ID} ids. If one does not exist, the response is 404 and nothing is redriven. By job or by error, a call redrives up to ${MAX_REDRIVEN} executions, newest first. Repeat the call until \`redriven\` is 0. By error, operators redrive those of all users in no order, or with \`owner\` those of one user. Executions that are no longer failed are left out.`,
    auth: true,
    body: z.union([
      z.strictObject({ ids: z.array(executionId).min(1).max(MAX_REDRIVEN_BY_ID) }),
      z.strictObject({ jobId, from: instant.optional(), to: instant.optional() }),
      z.strictObject({ errorKey, owner, from: instant.optional(), to: instant.optional() }),
    ]),
    success: { status: 202, description: 'The executions run again.', body: redrivenShape },
    errors: [403, 404, 409],
  }),
  groupDeadLetters: operation({
    id: 'groupDeadLetters',
    service: 'query',
    method: 'GET',
    path: '/dead-letters/groups',
    summary: 'Group the dead letters by error or by job, the largest group first',
    description: `Executions that failed for the same reason are in one group, whatever ids and numbers their messages contain. A request looks at up to ${MAX_GROUPED} dead letters. If there are more, \`truncated\` is true. Operators get those of all users, or with \`owner\` those of one user.`,
    auth: true,
    query: z.strictObject({ by: z.enum(['error', 'job']).default('error'), owner, ...range }),
    success: { status: 200, description: 'The groups.', body: deadLetterGroupsShape },
    errors: [403],
  }),
  dismissDeadLetters: operation({
    id: 'dismissDeadLetters',
    service: 'scheduler',
    method: 'POST',
    path: '/dead-letters/dismiss',
    summary: 'Dismiss dead letters: they stay failed and leave the list',
    description: `Takes up to ${MAX_REDRIVEN_BY_ID} ids. If one does not exist, the response is 404 and nothing is dismissed. Executions that are no longer failed are left out. A retry still runs a dismissed execution again.`,
    auth: true,
    body: z.strictObject({ ids: z.array(executionId).min(1).max(MAX_REDRIVEN_BY_ID) }),
    success: { status: 202, description: 'The executions are dismissed.', body: dismissedShape },
    errors: [404],
  }),
};
