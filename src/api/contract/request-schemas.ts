// Request schemas that several operations share: ids, times, pages and headers.
import { z } from 'zod';
import { jobNameSchema, namespaceSchema } from '../../domain/jobs/job-name.ts';
import { formatValue } from '../../domain/validation/validation.ts';
import { EXECUTION_STATUSES, JOB_STATUSES } from '../../domain/views/resource-schemas.ts';

export const jobId = z.string().regex(/^job_[0-9a-zA-Z]{20}$/, { error: 'must be a job id' });
export const executionId = z
  .string()
  .regex(/^job_[0-9a-zA-Z]{20}\.\d{13}(-[0-9a-zA-Z]{1,16})?$/, { error: 'must be an execution id' });

/** `key` of a group of dead letters by error. */
export const errorKey = z.string().regex(/^[\w-]{12}$/, {
  error: 'must be the key of a group of GET /dead-letters/groups?by=error',
});

const operationId = z.string().regex(/^op_[0-9a-zA-Z]{20}$/, { error: 'must be an operation id' });

export const jobPath = z.strictObject({ id: jobId });
export const executionPath = z.strictObject({ id: executionId });
/** Within the namespaces of the caller. */
export const jobNamePath = z.strictObject({ namespace: namespaceSchema, name: jobNameSchema });
export const operationPath = z.strictObject({ id: operationId });

/** A percent-encoded text in a path. API Gateway decodes it, the local server does not. */
export const pathText = (maxLength: number) =>
  z
    .string()
    .transform((text) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return text;
      }
    })
    .refine((text) => text.length > 0 && text.length <= maxLength && text.isWellFormed());

/** Parses ISO 8601 with an offset into epoch milliseconds. */
export const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const range = {
  from: instant.optional().describe('first due time'),
  to: instant.optional().describe('due before this time'),
};

export const paging = {
  limit: z.coerce
    .number<number | string>()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe('maximum number of results; a page may have fewer, because it ends at 1 MB'),
  cursor: z.string().min(1).max(2048).optional().describe('`nextCursor` of the previous page'),
};

const tag = z
  .string()
  .regex(/^[^:]{1,64}:.{0,128}$/s, {
    error: (issue) => `must be key:value, got ${formatValue(issue.input)}`,
  })
  .transform((text) => {
    const colon = text.indexOf(':');
    return { key: text.slice(0, colon), value: text.slice(colon + 1) };
  });

/** The user id of another user. 403 unless the caller is an operator. */
export const owner = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' })
  .optional()
  .describe('user id of the owner; default: the user of the token. Only operators can name another user');

/** The filter of jobs, in the query of a list and in the body of a bulk operation. */
export const jobFilter = {
  status: z.enum(JOB_STATUSES).optional(),
  task: z.string().min(1).max(64).optional().describe('task name'),
  name: z.string().min(1).max(100).optional().describe('name prefix'),
  namespace: namespaceSchema.optional(),
  tag: tag.optional().describe('tag as key:value'),
  owner,
};

export const jobsQuery = z.strictObject({
  ...jobFilter,
  view: z
    .enum(['full', 'summary'])
    .default('full')
    .describe('`summary`: jobs without `params` and `notify`, which is cheaper'),
  include: z.enum(['recent']).optional().describe('`recent`: adds the last 20 executions of each job'),
  ...paging,
});

export const dryRun = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

export const executionsQuery = {
  status: z.enum(EXECUTION_STATUSES).optional(),
  ...range,
  ...paging,
};

export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters without spaces' })
  .optional()
  .describe(
    'A repeated request with the same key and body returns the existing job. With another body it is refused with 409.',
  );

/** Parses to the version in the ETag. Undefined if any version matches (`*`). NaN if the ETag is not one of this API. */
export const ifMatch = z
  .string()
  .max(200)
  .regex(/^(\*|(W\/)?"[^"]*")$/, { error: 'must be the ETag of a job, such as "3" with its quotes, or *' })
  .transform((text) =>
    text === '*' ? undefined : Number(/^"(\d{1,15})(-[\w-]+)?"$/.exec(text)?.[1] ?? Number.NaN),
  )
  .optional()
  .describe('The edit is refused with 412 if the job no longer has this ETag.');

/** Parses to the version and the job id in the ETag. The version is NaN if the ETag is not one of this API. */
export const ifMatchNamed = z
  .string()
  .max(200)
  .regex(/^(\*|(W\/)?"[^"]*")$/, {
    error: 'must be the ETag of a job, such as "3-job_4fGh7Kx0QpLmN2sT9vWz" with its quotes, or *',
  })
  .transform((text): '*' | { version: number; jobId?: string } => {
    if (text === '*') return text;
    const [, version = Number.NaN, jobId] =
      /^"(\d{1,15})(?:-(job_[0-9a-zA-Z]{20}))?(?:-[\w-]+)?"$/.exec(text) ?? [];
    return { version: Number(version), ...(jobId !== undefined && { jobId }) };
  })
  .optional()
  .describe('The request is refused with 412 if the name has no job, or if the job no longer has this ETag.');
