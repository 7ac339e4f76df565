// The schema of a jobs file, for validation and as JSON Schema for editors.
import { z } from 'zod';
import { namespaceSchema } from '../../domain/jobs/job-name.ts';
import { jobPatchSchema, jobSpecSchema } from '../../domain/jobs/job-spec.ts';
import { scheduleSchema } from '../../domain/schedule/schedule-schema.ts';

const { note: _note, name: _name, schedule: _schedule, ...common } = jobPatchSchema.shape;
const { in: _in, ...scheduleFields } = scheduleSchema.shape;

const schedule = z
  .union([
    z
      .string()
      .max(scheduleSchema.shape.cron.unwrap().maxLength ?? 256)
      .describe('a cron pattern'),
    z.strictObject(scheduleFields),
  ])
  .describe('a cron pattern, or one of at, cron, every, calendar with timezone and other options');

/** A job of the file. Fields that are not given come from `defaults`, and then from the defaults of the API. */
export const fileJobSchema = z
  .strictObject({
    ...common,
    limit: jobSpecSchema.shape.limit,
    schedule: schedule.optional(),
    paused: z.boolean().optional().describe('whether the job is paused'),
  })
  .meta({ id: 'FileJob' });

export type FileJob = z.infer<typeof fileJobSchema>;

export const jobsFileSchema = z
  .strictObject({
    version: z.literal(1).describe('version of the format'),
    namespace: namespaceSchema.describe('namespace of all jobs of the file'),
    defaults: fileJobSchema
      .optional()
      .describe(
        'fields of all jobs; objects are merged field by field, lists and the kind of schedule are replaced',
      ),
    jobs: z
      .record(z.string().min(1), fileJobSchema)
      .describe('jobs by name; a name has 1 to 100 letters, digits, "-", "_" and "."'),
  })
  .meta({ title: 'Punctual jobs file' });

/** Editors check the file before variables are replaced, so a variable is allowed wherever a value has a format. */
export function jobsFileJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(jobsFileSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => allowVariables(jsonSchema),
  }) as Record<string, unknown>;
}

const VARIABLE = '\\$\\{';

function allowVariables(schema: Record<string, unknown>): void {
  if (schema.type === 'string') {
    delete schema.format;
    if (typeof schema.pattern === 'string') schema.pattern = `(${schema.pattern})|${VARIABLE}`;
  }
  const hasFormat =
    ['number', 'integer', 'boolean'].includes(String(schema.type)) || Array.isArray(schema.enum);
  if (schema.const !== undefined || !hasFormat) return;
  const { description, ...rest } = schema;
  for (const key of Object.keys(rest)) delete schema[key];
  schema.anyOf = [rest, { type: 'string', pattern: VARIABLE }];
}
