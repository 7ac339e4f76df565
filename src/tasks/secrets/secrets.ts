// References to secrets: `{ "$secret": "name" }` in a job's params stands for a value that the worker reads right before the
// run. The value is never stored, and it is redacted in the output of the run.
import { z } from 'zod';
import type { FieldError } from '../../domain/errors.ts';
import { MAX_PROGRESS_TEXT } from '../../domain/executions/progress.ts';
import { parse, pathText } from '../../domain/validation/validation.ts';
import { DoNotRetry, type Task, type TaskContext, type Tasks } from '../task.ts';
import { SecretRedactor } from './redact-secrets.ts';

export interface Secrets {
  /** The name of the store for messages. */
  readonly location: string;
  /** Undefined if the user has no secret with this name. */
  read(userId: string, name: string): Promise<string | undefined>;
}

/** Without a slash, so that no name leads to the secrets of another user. */
export const SECRET_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** Stands for the value of a secret when params are checked without the secrets. */
const PLACEHOLDER = 'secret';

type Path = readonly (string | number)[];

/** A copy of a value with every reference replaced. Throws BadReference for an invalid reference. */
function replaceReferences(
  value: unknown,
  replace: (name: string, path: Path) => unknown,
  path: Path = [],
): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => replaceReferences(item, replace, [...path, index]));
  if (value === null || typeof value !== 'object') return value;
  if (Object.hasOwn(value, '$secret')) return replace(nameIn(value, path), path);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaceReferences(item, replace, [...path, key])]),
  );
}

/** True if the params contain a reference, valid or not. */
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
    'must be { "$secret": "<name>" } without other fields; the name has 1 to 64 letters, digits, "_", "-" and "."',
  );
}

/** The errors in a job's params that can be found without the values of secrets. */
export function checkParams(task: Task, params: unknown, at: Path = []): FieldError[] {
  const references = new Set<string>();
  try {
    const known = replaceReferences(params, (_name, path) => {
      references.add(pathText([...at, ...path]));
      return PLACEHOLDER;
    });
    const { errors = [] } = parse(task.params, known, at);
    if (references.size === 0) return errors;
    // A wrong type is an error for any value of the secret. The worker checks the other rules with the value.
    const issues = task.params.safeParse(known).error?.issues ?? [];
    const dependsOnValue = ({ path }: FieldError) =>
      issues.some((issue) => issue.code !== 'invalid_type' && pathText([...at, ...issue.path]) === path);
    return errors.filter((error) => !(references.has(error.path) && dependsOnValue(error)));
  } catch (error) {
    if (error instanceof BadReference)
      return [{ path: pathText([...at, ...error.path]), message: error.message }];
    throw error;
  }
}

/** Tasks that resolve the references in their params right before the run, and redact the values afterwards. */
export const withSecrets = (tasks: Tasks, secrets: Secrets): Tasks =>
  new Map([...tasks].map(([name, task]) => [name, withSecretsOf(task, secrets)]));

function withSecretsOf(task: Task, secrets: Secrets): Task {
  return {
    ...task,
    params: z.unknown(), // `run` checks the params after the secrets are resolved
    async run(context) {
      const values = await resolve(context, secrets);
      const params =
        values.size === 0 ? context.params : replaceReferences(context.params, (name) => values.get(name));
      const { value, errors } = parse(task.params, params);
      if (errors) throw new DoNotRetry(paramsMessage(task, errors, values.size > 0));
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

/** With secrets, the message names only the fields: the text of an error may contain a part of the value. */
const paramsMessage = (task: Task, errors: FieldError[], secret: boolean): string =>
  `params are not valid for the task "${task.name}": ${errors.map(({ path, message }) => (secret ? path : `${path} ${message}`)).join('; ')}`;

async function resolve(context: TaskContext<unknown>, secrets: Secrets): Promise<Map<string, string>> {
  const names = new Set<string>();
  replaceReferences(context.params, (name) => names.add(name));
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
    progress: (fraction, text) => {
      // an invalid text is refused as it is, a valid one may be too long after its redaction
      const isValid = typeof text === 'string' && text.length <= MAX_PROGRESS_TEXT;
      context.progress(fraction, isValid ? redactor.text(text).slice(0, MAX_PROGRESS_TEXT) : text);
    },
  };
}
