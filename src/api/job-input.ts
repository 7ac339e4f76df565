// A job as a client describes it, checked as a whole: the common fields by the contract, the params by the task's own
// schema. All that is wrong is told at once.
import type { FieldError } from '../domain/errors.ts';
import { type JobSpec, jobSpecSchema } from '../domain/job-spec.ts';
import { type Parsed, parse, shown } from '../domain/validation.ts';
import { checkParams } from '../tasks/secrets.ts';
import type { Tasks } from '../tasks/task.ts';

export function parseJobSpec(tasks: Tasks, input: unknown): Parsed<JobSpec> {
  const spec = parse(jobSpecSchema, input);
  const errors = [...(spec.errors ?? []), ...taskErrors(tasks, input)];
  return errors.length === 0 ? spec : { errors };
}

/** The params stay as they were sent: the worker parses them again, by the schema it has then. */
export function taskErrors(tasks: Tasks, input: unknown): FieldError[] {
  const { task: name, params = {} } = Object(input) as { task?: unknown; params?: unknown };
  if (typeof name !== 'string' || name === '') return [];
  const task = tasks.get(name);
  if (!task) {
    return [
      {
        path: 'task',
        message: `must be one of ${[...tasks.keys()].map(shown).join(', ')}, got ${shown(name)}`,
      },
    ];
  }
  if (params === null || typeof params !== 'object' || Array.isArray(params)) return [];
  return checkParams(task, params, ['params']);
}
