// What the API answers beside jobs and executions (which are in src/domain/views/resource-schemas.ts): pages, problems, and the answers
// of single operations.
import { z } from 'zod';
import { isoTime, jobShape, warningsShape } from '../../domain/views/resource-schemas.ts';

export {
  EXECUTION_STATUSES,
  type ExecutionView,
  executionShape,
  JOB_STATUSES,
  type JobView,
  jobShape,
} from '../../domain/views/resource-schemas.ts';

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z.string().optional().describe('absent on the last page'),
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
      .describe('with 400: what was given where, and what is allowed'),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457',
    examples: [
      {
        type: 'urn:punctual:problem:invalid-input',
        title: 'Bad input',
        status: 400,
        detail: 'retry.maxAttempts: must be at least 1, got 0',
        requestId: '5f0c3c1e-5f1c-4a53-9a39-6a0f6c1b2d3e',
        errors: [{ path: 'retry.maxAttempts', message: 'must be at least 1, got 0' }],
      },
    ],
  });

export type Problem = z.infer<typeof problemShape>;

/** In the order of the request; one that is refused says nothing about the others. */
export const batchShape = z.strictObject({
  results: z.array(
    z.union([
      z.strictObject({ status: z.literal(201), job: jobShape }),
      z.strictObject({ status: z.int().min(400).max(599), error: problemShape }),
    ]),
  ),
});

export const acceptedShape = z.strictObject({
  id: z.string().describe('of the job that will be created'),
  warnings: warningsShape.min(1).optional().describe('what may surprise about the schedule'),
});

export const plannedShape = z.strictObject({
  planned: z.int().min(0).describe('how many occurrences have no row, and will run'),
  operation: z.string().describe('the id of the operation that lets them run'),
});

export const redrivenShape = z.strictObject({ redriven: z.int().min(0).describe('how many run again') });

export const previewShape = z.strictObject({
  fireTimes: z.array(isoTime),
  description: z.string().describe('the schedule in a sentence'),
  warnings: warningsShape,
});

export const taskShape = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    params: z.record(z.string(), z.unknown()).describe('JSON Schema'),
  })
  .meta({ id: 'Task' });

export type TaskView = z.infer<typeof taskShape>;

export const workerShape = z
  .strictObject({
    id: z.string(),
    host: z.string(),
    startedAt: isoTime,
    lastSeenAt: isoTime,
    running: z.array(z.strictObject({ id: z.string().describe('of the execution'), since: isoTime })),
  })
  .meta({ id: 'Worker' });

export type WorkerView = z.infer<typeof workerShape>;
