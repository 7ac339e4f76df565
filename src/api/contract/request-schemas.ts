// What operations take, as far as several of them take it: ids, times, pages, headers.
import { z } from 'zod';
import { EXECUTION_STATUSES, JOB_STATUSES } from '../../domain/views/resource-schemas.ts';

export const jobId = z.string().regex(/^job_[0-9a-zA-Z]{20}$/, { error: 'must be the id of a job' });
export const executionId = z
  .string()
  .regex(/^job_[0-9a-zA-Z]{20}\.\d{13}(-[0-9a-zA-Z]{1,16})?$/, { error: 'must be the id of an execution' });

const operationId = z.string().regex(/^op_[0-9a-zA-Z]{20}$/, { error: 'must be the id of an operation' });

export const jobPath = z.strictObject({ id: jobId });
export const executionPath = z.strictObject({ id: executionId });
export const operationPath = z.strictObject({ id: operationId });

/** Epoch milliseconds inside, ISO 8601 with an offset outside. */
export const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const range = {
  from: instant.optional().describe('due at or after'),
  to: instant.optional().describe('due before'),
};

export const paging = {
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(2048).optional().describe('`nextCursor` of the page before'),
};

const tag = z
  .string()
  .regex(/^[^:]{1,64}:.{0,128}$/s, {
    error: (issue) => `must be key:value, got ${JSON.stringify(issue.input)}`,
  })
  .transform((text) => {
    const colon = text.indexOf(':');
    return { key: text.slice(0, colon), value: text.slice(colon + 1) };
  });

export const jobsQuery = z.strictObject({
  status: z.enum(JOB_STATUSES).optional(),
  task: z.string().min(1).max(64).optional(),
  name: z.string().min(1).max(100).optional().describe('a prefix'),
  tag: tag.optional().describe('key:value'),
  ...paging,
});

export const executionsQuery = {
  status: z.enum(EXECUTION_STATUSES).optional(),
  ...range,
  ...paging,
};

export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters without spaces' })
  .optional()
  .describe('a retry with the same key and body returns the first job; with another body it is refused');

/** The version it names, or undefined where any will do; NaN where it can be none of ours. */
export const ifMatch = z
  .string()
  .max(200)
  .regex(/^(\*|(W\/)?"[^"]*")$/, { error: 'must be the ETag of a job, such as "3" with its quotes, or *' })
  .transform((text) =>
    text === '*' ? undefined : Number(/^"(\d{1,15})(-[\w-]+)?"$/.exec(text)?.[1] ?? Number.NaN),
  )
  .optional()
  .describe('edit only this version of the job');
