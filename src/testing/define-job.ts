// A job whose params are typed by its task.
import type { z } from 'zod';
import type { jobSpecSchema } from '../domain/jobs/job-spec.ts';
import type { Task } from '../tasks/task.ts';

/** The fields of a job, as `POST /jobs` takes them. */
export type JobFields = z.input<typeof jobSpecSchema>;

/** The params that a task takes. Fields with a default may be left out. */
export type ParamsOf<Given> =
  Given extends Task<infer Output, infer Input> ? (unknown extends Input ? Output : Input) : never;

type ParamsField<Params> =
  Record<never, never> extends Params ? { readonly params?: Params } : { readonly params: Params };

/** The fields of a job besides `task`. */
export type JobOf<Given> = Omit<JobFields, 'task' | 'params'> & ParamsField<ParamsOf<Given>>;

/**
 * A job of a task, for `client.jobs.create` and for `simulate`. The compiler checks the params. At run time they are parsed too, so
 * that plain JavaScript gets the same error.
 */
// biome-ignore lint/suspicious/noExplicitAny: the params of any task
export function defineJob<const Given extends Task<any, any>>(task: Given, job: JobOf<Given>): JobFields {
  const { params, ...fields } = job as { params?: Record<string, unknown> } & Omit<
    JobFields,
    'task' | 'params'
  >;
  const parsed = task.params.safeParse(params ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = ['params', ...(issue?.path ?? [])].join('.');
    throw new TypeError(`the task "${task.name}" does not take these params: ${path}: ${issue?.message}`);
  }
  return { ...fields, task: task.name, ...(params && { params }) };
}
