// Response schemas: pages, problems and the responses of single operations. Jobs and executions are in
// src/domain/views/resource-schemas.ts.
import { z } from 'zod';
import { isoTime, jobShape, warningsShape } from '../../domain/views/resource-schemas.ts';

export {
  EXECUTION_STATUSES,
  type ExecutionView,
  executionShape,
  JOB_STATUSES,
  type JobView,
  jobShape,
  jobSummaryShape,
} from '../../domain/views/resource-schemas.ts';

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z
      .string()
      .optional()
      .describe('cursor of the next page; absent on the last page, and only there'),
  });

export const problemShape = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    requestId: z.string(),
    errors: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .optional()
      .describe(
        'with 400: each wrong field, the value given and the values allowed; after 10 of them, the number of the others with an empty path. Absent from the 11th refused job of a batch on',
      ),
    limit: z
      .strictObject({ name: z.string(), value: z.number() })
      .optional()
      .describe('with 429: the limit that was reached, and its value'),
  })
  .meta({
    id: 'Problem',
    description: 'An error as RFC 9457 problem details.',
    examples: [
      {
        type: 'urn:punctual:problem:invalid-input',
        title: 'Invalid input',
        status: 400,
        detail: 'retry.maxAttempts: must be at least 1, got 0',
        requestId: '5f0c3c1e-5f1c-4a53-9a39-6a0f6c1b2d3e',
        errors: [{ path: 'retry.maxAttempts', message: 'must be at least 1, got 0' }],
      },
    ],
  });

export type Problem = z.infer<typeof problemShape>;

/** One result per job, in the order of the request. */
export const batchShape = z.strictObject({
  results: z.array(
    z.union([
      z.strictObject({ status: z.literal(201), job: jobShape }),
      z.strictObject({ status: z.int().min(400).max(599), error: problemShape }),
    ]),
  ),
});

export const acceptedShape = z.strictObject({
  id: z.string().describe('id of the job that will be created'),
  warnings: warningsShape.min(1).optional().describe('unexpected effects of the schedule'),
});

export const plannedShape = z.strictObject({
  planned: z.int().min(0).describe('number of occurrences without an execution, which will run'),
  operation: z.string().describe('id of the background operation'),
});

const matchedFields = {
  matched: z.int().min(0).describe('number of jobs that match and that the action would change'),
  counting: z
    .literal(true)
    .optional()
    .describe('not all jobs were examined within 3 seconds, so more may match than `matched`'),
};

export const matchedShape = z.strictObject(matchedFields);

export const bulkShape = z.strictObject({
  operation: z.string().describe('id of the background operation'),
  ...matchedFields,
});

export const redrivenShape = z.strictObject({
  redriven: z.int().min(0).describe('number of executions that run again'),
});

export const dismissedShape = z.strictObject({
  dismissed: z.int().min(0).describe('number of executions that left the list'),
});

export const deadLetterGroupsShape = z.strictObject({
  items: z.array(
    z.strictObject({
      key: z.string().describe('error key, which a redrive takes, or job id'),
      name: z.string().describe('name of the error of the newest execution'),
      message: z.string().describe('its message, at most 300 characters'),
      count: z.int().min(1),
      lastDay: z.int().min(0).describe('those of `count` that were due in the last 24 hours'),
      jobs: z.int().min(1).describe('number of different jobs'),
      firstDueAt: isoTime,
      lastDueAt: isoTime,
      sample: z.string().describe('id of the newest execution'),
      buckets: z
        .array(z.int().min(0))
        .describe('counts in 24 equal parts of the time from the first to the last due time of all groups'),
    }),
  ),
  lookedAt: z.int().min(0).describe('number of failed executions that were read'),
  truncated: z.boolean().describe('there are more; narrow `from` and `to`'),
});

export const previewShape = z.strictObject({
  fireTimes: z.array(isoTime),
  description: z.string().describe('the schedule as an English sentence'),
  warnings: warningsShape,
});

export const taskShape = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    params: z.record(z.string(), z.unknown()).describe('JSON Schema of the params'),
  })
  .meta({ id: 'Task' });

export type TaskView = z.infer<typeof taskShape>;

const count = z.int().min(0);

export const workerShape = z
  .strictObject({
    id: z.string(),
    host: z.string(),
    startedAt: isoTime,
    lastSeenAt: isoTime,
    running: z.array(
      z.strictObject({
        id: z.string().describe('execution id'),
        since: isoTime,
        owner: z.string().optional().describe('hash of the user id, as in log lines of workers'),
      }),
    ),
    concurrency: z.int().min(1).optional().describe('number of places: the tasks that it runs at once'),
    version: z.string().optional().describe('version of Punctual'),
    draining: z
      .literal(true)
      .optional()
      .describe('receives no more executions, and stops when its running ones have ended'),
    recent: z
      .array(
        z.strictObject({
          at: isoTime.describe('start of the minute'),
          ...{ succeeded: count, failed: count, skipped: count, cancelled: count },
        }),
      )
      .optional()
      .describe(
        'executions that ended in each of the last 5 minutes up to `lastSeenAt`, newest first; absent for workers of earlier versions',
      ),
  })
  .meta({ id: 'Worker' });

export type WorkerView = z.infer<typeof workerShape>;
