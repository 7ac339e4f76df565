// Secrets by reference: `{ "$secret": "name" }` anywhere in a job's params stands for a value that only the worker reads,
// right before the run. It is never stored, and what comes out of the run is searched for it.
import { z } from 'zod';
import type { FieldError } from '../../domain/errors.ts';
import { parse, pathText } from '../../domain/validation/validation.ts';
import { DoNotRetry, type Task, type TaskContext, type Tasks } from '../task.ts';
import { SecretRedactor } from './redact-secrets.ts';

export interface Secrets {
  /** Where it is looked for; for messages. */
  readonly location: string;
  /** Undefined: this user has none of this name. */
  read(userId: string, name: string): Promise<string | undefined>;
}

/** No slash: what is before it belongs to the user, and nobody reaches another's. */
export const SECRET_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** What a reference is taken for where its value is not known. */
const PLACEHOLDER = 'secret';

type Path = readonly (string | number)[];

/** A copy with every reference replaced. */
function replaced(value: unknown, replace: (name: string, path: Path) => unknown, path: Path = []): unknown {
  if (Array.isArray(value)) return value.map((item, index) => replaced(item, replace, [...path, index]));
  if (value === null || typeof value !== 'object') return value;
  if (Object.hasOwn(value, '$secret')) return replace(nameIn(value, path), path);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaced(item, replace, [...path, key])]),
  );
}

/** Whether there is a reference anywhere in it, well formed or not. */
export const refersToSecrets = (params: unknown): boolean => JSON.stringify(params).includes('"$secret":');

class BadReference extends Error {
  override readonly name = 'BadReference';
  readonly path: Path;
  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

function nameIn(value: object, path: Path): string {
  const { $secret: name, ...more } = value as { $secret: unknown };
  if (typeof name === 'string' && SECRET_NAME.test(name) && Object.keys(more).length === 0) return name;
  throw new BadReference(
    path,
    'must be { "$secret": "name" } and nothing else, the name up to 64 letters, digits, "_", "-" and "."',
  );
}

/** What is wrong with a job's params as far as that can be told without the secrets' values. */
export function checkParams(task: Task, params: unknown, at: Path = []): FieldError[] {
  const references = new Set<string>();
  try {
    const known = replaced(params, (_name, path) => {
      references.add(pathText([...at, ...path]));
      return PLACEHOLDER;
    });
    const { errors = [] } = parse(task.params, known, at);
    if (references.size === 0) return errors;
    // that a text is not wanted there is certain; which text it must be is for the worker to see
    const issues = task.params.safeParse(known).error?.issues ?? [];
    const onlyForm = ({ path }: FieldError) =>
      issues.some((issue) => issue.code !== 'invalid_type' && pathText([...at, ...issue.path]) === path);
    return errors.filter((error) => !(references.has(error.path) && onlyForm(error)));
  } catch (error) {
    if (error instanceof BadReference)
      return [{ path: pathText([...at, ...error.path]), message: error.message }];
    throw error;
  }
}

/** The tasks as a worker has them: each resolves the references in its params itself, right before it runs. */
export const withSecrets = (tasks: Tasks, secrets: Secrets): Tasks =>
  new Map([...tasks].map(([name, task]) => [name, withSecretsOf(task, secrets)]));

function withSecretsOf(task: Task, secrets: Secrets): Task {
  return {
    ...task,
    params: z.unknown(), // theirs is asked when the values are there
    async run(context) {
      const values = await resolve(context, secrets);
      const params =
        values.size === 0 ? context.params : replaced(context.params, (name) => values.get(name));
      const { value, errors } = parse(task.params, params);
      if (errors) throw new DoNotRetry(misfit(task, errors, values.size > 0));
      if (values.size === 0) return task.run({ ...context, params: value });
      const redactor = new SecretRedactor(values);
      try {
        return redactor.value(await task.run({ ...withRedaction(context, redactor), params: value }));
      } catch (error) {
        throw error === context.signal.reason ? error : redactor.error(error);
      }
    },
  };
}

/** With secrets around, only where it is wrong is told: the value could stand, cut short, in the words. */
const misfit = (task: Task, errors: FieldError[], secret: boolean): string =>
  `params do not fit the task "${task.name}": ${errors.map(({ path, message }) => (secret ? path : `${path} ${message}`)).join('; ')}`;

async function resolve(context: TaskContext<unknown>, secrets: Secrets): Promise<Map<string, string>> {
  const names = new Set<string>();
  replaced(context.params, (name) => names.add(name));
  const values = new Map<string, string>();
  for (const name of names) {
    const value = await secrets.read(context.userId, name);
    if (!value) throw new DoNotRetry(`there is no secret "${name}" of this user in ${secrets.location}`);
    values.set(name, value);
  }
  return values;
}

function withRedaction(context: TaskContext<unknown>, redactor: SecretRedactor): TaskContext<unknown> {
  return {
    ...context,
    log: {
      info: (message, fields) => context.log.info(redactor.text(message), redactor.fields(fields)),
      warn: (message, fields) => context.log.warn(redactor.text(message), redactor.fields(fields)),
    },
    checkpoint: (value) => context.checkpoint(redactor.value(value)),
  };
}
