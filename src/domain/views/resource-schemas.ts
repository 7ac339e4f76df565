// The schemas of jobs and executions in responses: for types, for checks of responses and for documentation.
import { z } from 'zod';
import { EXAMPLE_JOB, jobSpecSchema } from '../jobs/job-spec.ts';
import { storedScheduleSchema } from '../schedule/schedule-schema.ts';
import { SCHEDULE_WARNINGS } from '../schedule/warnings.ts';

export const isoTime = z.iso.datetime({ offset: true });

export const JOB_STATUSES = ['active', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

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
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

const ownerShape = z.string().optional().describe("user id of the job's owner; only for operators");

const EXAMPLE_EXECUTION = {
  id: 'job_4fGh7Kx0QpLmN2sT9vWz.1796119200000',
  jobId: 'job_4fGh7Kx0QpLmN2sT9vWz',
  status: 'succeeded',
  dueAt: '2026-12-01T10:00:00.000Z',
  fireAt: '2026-12-01T10:00:00.000Z',
  trigger: 'schedule',
  attempt: 1,
  maxAttempts: 3,
  workerId: 'worker_k3f9a1Bc7Qz2',
  latenessMs: 4,
  durationMs: 213,
  result: { status: 200 },
  attempts: [
    {
      attempt: 1,
      workerId: 'worker_k3f9a1Bc7Qz2',
      receivedAt: '2026-12-01T09:59:59.310Z',
      startedAt: '2026-12-01T10:00:00.004Z',
      finishedAt: '2026-12-01T10:00:00.217Z',
    },
  ],
  timeline: {
    dueAt: '2026-12-01T10:00:00.000Z',
    enqueuedAt: '2026-12-01T09:55:02.120Z',
    receivedAt: '2026-12-01T09:59:59.310Z',
    startedAt: '2026-12-01T10:00:00.004Z',
    finishedAt: '2026-12-01T10:00:00.217Z',
  },
};

const errorShape = z.strictObject({ name: z.string(), message: z.string() });

export const EXECUTION_TRIGGERS = ['schedule', 'manual', 'backfill', 'redrive'] as const;

const attemptShape = z.strictObject({
  attempt: z.int().min(1),
  workerId: z.string(),
  receivedAt: isoTime.optional(),
  startedAt: isoTime,
  finishedAt: isoTime.optional().describe('absent while the attempt runs'),
  error: errorShape
    .optional()
    .describe(
      'the message has at most 200 characters; `error` of the execution has the whole message of the last one',
    ),
});

export type AttemptView = z.infer<typeof attemptShape>;

const progressShape = z
  .strictObject({
    fraction: z.number().min(0).max(1),
    text: z.string().optional(),
    at: isoTime.describe('time of the report'),
  })
  .describe(
    'the last report of the task, at most one heartbeat old; only in status `running`, and not in lists over all jobs without `status=running`',
  );

export const executionShape = z
  .strictObject({
    id: z.string(),
    jobId: z.string(),
    owner: ownerShape,
    status: z.enum(EXECUTION_STATUSES),
    dueAt: isoTime,
    fireAt: isoTime.describe(
      'the time at which it starts: `dueAt` plus jitter, or the time of the request for a backfill',
    ),
    trigger: z
      .enum(EXECUTION_TRIGGERS)
      .describe('`manual`: run now. `redrive`: a retry or redrive of an execution that had ended'),
    attempt: z.int().min(0),
    maxAttempts: z.int().min(1),
    workerId: z.string().optional(),
    latenessMs: z.number().optional().describe('start of the first attempt − `fireAt`, in milliseconds'),
    durationMs: z.number().optional(),
    result: z.unknown().optional(),
    error: errorShape.optional(),
    reason: z.string().optional().describe('reason for the status `skipped` or `cancelled`'),
    params: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('params of a manual run that replaced those of the job'),
    nextAttemptAt: isoTime.optional().describe('start of the next attempt; only in status `retrying`'),
    attempts: z
      .array(attemptShape)
      .optional()
      .describe('the last five attempts, oldest first; absent before the first start'),
    dismissed: z.literal(true).optional().describe('failed, and no longer a dead letter'),
    stopping: z
      .literal(true)
      .optional()
      .describe(
        'a cancel was requested, and the task has been told to stop or will be with the next heartbeat',
      ),
    progress: progressShape.optional(),
    timeline: z.strictObject({
      dueAt: isoTime,
      enqueuedAt: isoTime.optional(),
      receivedAt: isoTime.optional(),
      startedAt: isoTime.optional(),
      finishedAt: isoTime.optional(),
    }),
  })
  .meta({ id: 'Execution', examples: [EXAMPLE_EXECUTION] });

export type ExecutionView = z.infer<typeof executionShape>;

/** The maximum number of executions in `recent` of a job. */
export const MAX_RECENT = 20;

const recentExecutionShape = executionShape.pick({
  id: true,
  status: true,
  dueAt: true,
  latenessMs: true,
  durationMs: true,
});

export type RecentExecution = z.infer<typeof recentExecutionShape>;

export const warningsShape = z.array(
  z.strictObject({
    kind: z.enum(SCHEDULE_WARNINGS),
    at: z.string().optional().describe('local time of the clock change, with its offset'),
    message: z.string(),
  }),
);

/** The actions of a request by name on the job of the name. */
export const NAMED_JOB_ACTIONS = ['create', 'update', 'replace', 'none'] as const;
export type NamedJobAction = (typeof NAMED_JOB_ACTIONS)[number];

const EXAMPLE_JOB_VIEW = {
  ...EXAMPLE_JOB,
  retry: { maxAttempts: 3, backoffSeconds: 2, maxBackoffSeconds: 900 },
  timeoutSeconds: 300,
  overlap: 'skip',
  misfire: { policy: 'runOnce', graceSeconds: 60 },
  id: EXAMPLE_EXECUTION.jobId,
  status: 'active',
  version: 1,
  createdAt: '2026-11-16T12:00:00.000Z',
  updatedAt: '2026-11-16T12:00:00.000Z',
  nextRunAt: '2026-11-17T08:00:00.000Z',
};

export const jobShape = z
  .strictObject({
    ...jobSpecSchema.shape,
    schedule: storedScheduleSchema,
    id: z.string(),
    owner: ownerShape,
    namespace: z.string().optional().describe('namespace of a job that has a name'),
    status: z.enum(JOB_STATUSES),
    version: z.int().min(1),
    createdAt: isoTime,
    updatedAt: isoTime,
    nextRunAt: isoTime.optional().describe('next occurrence; never in the past'),
    searchingSince: isoTime
      .optional()
      .describe(
        'present instead of `nextRunAt` while the next occurrence is not known: the search for it has used up its steps and goes on in the background. The time of the latest occurrence or change',
      ),
    pausedUntil: isoTime.optional().describe('end of a pause that ends by itself'),
    warnings: warningsShape
      .min(1)
      .optional()
      .describe('possible surprises of the schedule; only in responses to a create or a schedule edit'),
    lastExecution: executionShape.optional().describe('last execution; only in GET of one job'),
    recent: z
      .array(recentExecutionShape)
      .max(MAX_RECENT)
      .optional()
      .describe(
        `last ${MAX_RECENT} executions, newest first; only in lists with \`include=recent\`. With \`overlap: allow\`, an execution appears when its first attempt has ended`,
      ),
    action: z
      .enum(NAMED_JOB_ACTIONS)
      .optional()
      .describe('what the request did; only in responses to PUT /jobs/by-name'),
  })
  .meta({ id: 'Job', examples: [EXAMPLE_JOB_VIEW] });

export type JobView = z.infer<typeof jobShape>;

/** Fields of a job that its summary does not have. */
const NOT_IN_SUMMARY = {
  params: true,
  notify: true,
  warnings: true,
  lastExecution: true,
  action: true,
} as const;

const { params: _params, notify: _notify, ...EXAMPLE_SUMMARY } = EXAMPLE_JOB_VIEW;

/** A job as lists for people show it. */
export const jobSummaryShape = jobShape.omit(NOT_IN_SUMMARY).meta({
  id: 'JobSummary',
  examples: [
    {
      ...EXAMPLE_SUMMARY,
      recent: [
        {
          id: EXAMPLE_EXECUTION.id,
          status: 'succeeded',
          dueAt: EXAMPLE_EXECUTION.dueAt,
          latenessMs: 4,
          durationMs: 213,
        },
      ],
    },
  ],
});

export type JobSummaryView = z.infer<typeof jobSummaryShape>;
