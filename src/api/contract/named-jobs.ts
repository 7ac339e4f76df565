// The operations of the API on jobs by their names.
import { z } from 'zod';
import { EXAMPLE_JOB, jobSpecSchema, noteSchema } from '../../domain/jobs/job-spec.ts';
import { namedJobPlanShape } from '../../domain/jobs/named-job-plan.ts';
import { scheduleSchema } from '../../domain/schedule/schedule-schema.ts';
import { formatValue } from '../../domain/validation/validation.ts';
import { operation } from './endpoint.ts';
import { ifMatchNamed, jobNamePath } from './request-schemas.ts';
import { jobShape } from './response-schemas.ts';

const { name: _name, ...EXAMPLE } = EXAMPLE_JOB;

/** The full description of a job: the fields of a create, and whether it is paused. */
export const namedJobSchema = z
  .strictObject({
    ...jobSpecSchema.shape,
    schedule: scheduleSchema,
    paused: z.boolean().default(false).describe('whether the job is paused until it is resumed'),
    note: noteSchema,
  })
  .superRefine(({ schedule }, context) => {
    if (schedule.in === undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['schedule', 'in'],
      message: `does not apply to a job with a name, because a repeated request would move the run; use at, cron, every or calendar, got ${formatValue(schedule.in)}`,
    });
  })
  .meta({ id: 'NamedJob', examples: [EXAMPLE] });

const etag = { etag: 'The version and the id of the job, for `If-Match`.' };
const RULE =
  'The namespace has up to 64 characters and the name up to 100: letters, digits, `-`, `_` and `.`, beginning with a letter or digit. Each user has namespaces of their own.';

const byName = {
  path: '/jobs/by-name/{namespace}/{name}',
  auth: true,
  params: jobNamePath,
  namesInPath: true,
} as const;

export const namedJobs = {
  putNamedJob: operation({
    ...byName,
    id: 'putNamedJob',
    service: 'scheduler',
    method: 'PUT',
    summary: 'Create, edit or replace the job of a name, so that it is as described',
    description: `The body is the whole job: fields that are not given get their defaults. If the job is as described, nothing is written. A change that cannot be edited (\`overlap\` to or from \`allow\`, a new time of a job that has ended) creates a new job and cancels the old one. However often the request is sent, and by however many callers at once, the name has one job. The schedule is required, and \`in\` is refused, because a repeated request would move the run. A one-time job that has ended stays as it is. A pause with an end (\`pausedUntil\`) stays, too. With \`dryRun=true\`, nothing is written, and the response says what would change. ${RULE}`,
    query: z.strictObject({
      dryRun: z.enum(['true', 'false']).optional().describe('`true`: only say what would change'),
    }),
    headers: z.object({ 'if-match': ifMatchNamed }),
    body: namedJobSchema,
    success: {
      status: 200,
      description: 'The job, edited or unchanged, with its `ETag`. With `dryRun=true`: what would change.',
      body: z.union([jobShape, namedJobPlanShape]),
    },
    alternative: {
      status: 201,
      description: 'The new job. `action` is `create` or `replace`.',
      body: jobShape,
      headers: { location: 'The path of the job by its id.', ...etag },
    },
    errors: [409, 412, 422, 429],
  }),
  getNamedJob: operation({
    ...byName,
    id: 'getNamedJob',
    service: 'query',
    method: 'GET',
    summary: 'Get the job of a name',
    description: `The response has the \`id\` of the job, by which its other operations are called. A cancelled job has given up its name. ${RULE}`,
    success: { status: 200, description: 'The job.', body: jobShape, headers: etag },
    errors: [],
  }),
  cancelNamedJob: operation({
    ...byName,
    id: 'cancelNamedJob',
    service: 'scheduler',
    method: 'DELETE',
    summary: 'Cancel the job of a name permanently',
    description: `No execution of the job starts again, and running tasks are asked to stop. A later PUT creates a new job of the name. ${RULE}`,
    query: z.strictObject({ note: noteSchema }),
    headers: z.object({ 'if-match': ifMatchNamed }),
    success: { status: 204, description: 'The job is cancelled.' },
    errors: [409, 412],
  }),
};
