// Validates the job in a request: the common fields by the contract, the params by the schema of the task. All errors are
// reported together.
import type { z } from 'zod';
import type { FieldError } from '../../domain/errors.ts';
import { type JobPatch, type JobSpec, jobPatchSchema, jobSpecSchema } from '../../domain/jobs/job-spec.ts';
import { formatValue, type Parsed, parse } from '../../domain/validation/validation.ts';
import type { Recipients } from '../../tasks/aws/recipients.ts';
import { checkParams } from '../../tasks/secrets/secrets.ts';
import type { Tasks } from '../../tasks/task.ts';
import { namedJobSchema } from '../contract/named-jobs.ts';
import { jsonErrors, parseJson } from '../http/json-values.ts';

/** The rules that a job is validated against, in addition to the contract. */
export interface JobRules {
  readonly tasks: Tasks;
  /** The e-mail addresses that notifications may be sent to. */
  readonly recipients: Recipients;
}

export function parseJobSpec({ tasks, recipients }: JobRules, input: unknown): Parsed<JobSpec> {
  const malformed = jsonErrors(input);
  if (malformed.length > 0) return { errors: malformed };
  const spec = parse(jobSpecSchema, input);
  return withErrors(spec, [...taskErrors(tasks, input), ...recipientErrors(recipients, spec.value)]);
}

/** The job of a request by name. */
export function parseNamedJob({ tasks, recipients }: JobRules, input: unknown): Parsed<NamedJob> {
  const malformed = jsonErrors(input);
  if (malformed.length > 0) return { errors: malformed };
  const job = parse(namedJobSchema, input);
  return withErrors(job, [...taskErrors(tasks, input), ...recipientErrors(recipients, job.value)]);
}

type NamedJob = z.output<typeof namedJobSchema>;

/** Does not validate params: the edit validates them with the task that the job will have. */
export function parseJobPatch({ recipients }: JobRules, input: unknown): Parsed<JobPatch> {
  const patch = parseJson(jobPatchSchema, input);
  return withErrors(patch, recipientErrors(recipients, patch.value));
}

function withErrors<T>(parsed: Parsed<T>, more: readonly FieldError[]): Parsed<T> {
  const errors = [...(parsed.errors ?? []), ...more];
  return errors.length === 0 ? parsed : { errors };
}

const recipientErrors = (recipients: Recipients, job: JobPatch | undefined): FieldError[] =>
  (job?.notify ?? []).flatMap(({ email }, index) => {
    const message = email && recipients.refusal(email.to);
    return message === undefined ? [] : [{ path: `notify[${index}].email.to`, message }];
  });

/** Errors of the task name and the params. The params are stored as sent, because the worker parses them again. */
export function taskErrors(tasks: Tasks, input: unknown): FieldError[] {
  const { task: name, params = {} } = Object(input) as { task?: unknown; params?: unknown };
  if (typeof name !== 'string' || name === '') return [];
  const task = tasks.get(name);
  if (!task) {
    return [
      {
        path: 'task',
        message: `must be one of ${[...tasks.keys()].map(formatValue).join(', ')}, got ${formatValue(name)}`,
      },
    ];
  }
  if (task.unavailable !== undefined) return [{ path: 'task', message: task.unavailable }];
  if (params === null || typeof params !== 'object' || Array.isArray(params)) return [];
  return checkParams(task, params, ['params']);
}
