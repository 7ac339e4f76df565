// What the API answers: jobs, executions, pages of them, problems.
import { z } from 'zod';
import { jobSpecSchema } from '../domain/job-spec.ts';
import { scheduleSchema } from '../domain/schedule/schema.ts';

const time = z.iso.datetime({ offset: true });

export const JOB_STATUSES = ['active', 'paused', 'completed', 'failed', 'cancelled'] as const;
export const EXECUTION_STATUSES = [
  'scheduled',
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const;

export const executionShape = z
  .strictObject({
    id: z.string(),
    jobId: z.string(),
    status: z.enum(EXECUTION_STATUSES),
    dueAt: time,
    attempt: z.int().min(0),
    maxAttempts: z.int().min(1),
    workerId: z.string().optional(),
    latenessMs: z.number().optional().describe('start − due'),
    durationMs: z.number().optional(),
    result: z.unknown().optional(),
    error: z.strictObject({ name: z.string(), message: z.string() }).optional(),
    reason: z.string().optional().describe('why skipped or cancelled'),
    timeline: z.strictObject({
      dueAt: time,
      enqueuedAt: time.optional(),
      receivedAt: time.optional(),
      startedAt: time.optional(),
      finishedAt: time.optional(),
    }),
  })
  .meta({ id: 'Execution' });

export const jobShape = z
  .strictObject({
    ...jobSpecSchema.shape,
    // resolved: what was given, and the instants that followed from it
    schedule: z.strictObject(scheduleSchema.shape).optional(),
    id: z.string(),
    status: z.enum(JOB_STATUSES),
    version: z.int().min(1),
    createdAt: time,
    updatedAt: time,
    nextRunAt: time.optional(),
    lastExecution: executionShape.optional(),
  })
  .meta({ id: 'Job' });

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
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' });

export type Problem = z.infer<typeof problemShape>;
