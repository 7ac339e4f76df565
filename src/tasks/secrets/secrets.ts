// References to secrets: `{ "$secret": "name" }` in a job's params stands for a value that the worker reads right before the
// run. The value is never stored, and it is redacted in the output of the run.
import { z } from 'zod';
import { type FieldError, InvalidInput } from '../../domain/errors.ts';
import { MAX_PROGRESS_TEXT } from '../../domain/executions/progress.ts';
import { isOfPresence, parse, pathText } from '../../domain/validation/validation.ts';
import { DoNotRetry, type Task, type TaskContext, type Tasks } from '../task.ts';
import { redactorOf, type SecretRedactor } from './redact-secrets.ts';

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

type Path = readonly PropertyKey[];

/** Where a value is. The root has none. */
interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

const pathOf = (place: Place | undefined): PropertyKey[] =>
  place === undefined ? [] : [...pathOf(place.parent), place.key];

/** A copy of a value with every reference replaced. Throws BadReference for an invalid reference. */
function replaceReferences(value: unknown, replace: (name: string) => unknown, parent?: Place): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value))
    return value.map((item, key) => replaceReferences(item, replace, { parent, key }));
  if (isReference(value)) return replace(nameIn(value, parent));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaceReferences(item, replace, { parent, key })]),
  );
}

const isReference = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, '$secret');

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

function nameIn(value: object, place: Place | undefined): string {
  const { $secret: name, ...more } = value as { $secret: unknown };
  if (typeof name === 'string' && SECRET_NAME.test(name) && Object.keys(more).length === 0) return name;
  throw new BadReference(
    pathOf(place),
    'must be { "$secret": "<name>" } without other fields; the name has 1 to 64 letters, digits, "_", "-" and "."',
  );
}

/** The errors in a job's params that can be found without the values of secrets. */
export function checkParams(task: Task, params: unknown, at: Path = []): FieldError[] {
  if (!refersToSecrets(params)) return parse(task.params, params, at).errors ?? [];
  try {
    const known = replaceReferences(params, () => PLACEHOLDER);
    // The worker checks the rules that depend on the value of a secret.
    const counts = (issue: z.core.$ZodIssue, path: Path) =>
      !dependsOnValue(issue) || !isReference(valueAt(params, path));
    return parse(task.params, known, at, counts).errors ?? [];
  } catch (error) {
    if (error instanceof BadReference)
      return [{ path: pathText([...at, ...error.path]), message: error.message }];
    throw error;
  }
}

/** A wrong type, a wrong key and a field that must be absent are errors for any value of a secret. */
const dependsOnValue = (issue: z.core.$ZodIssue): boolean =>
  issue.code !== 'invalid_type' && issue.code !== 'invalid_key' && !isOfPresence(issue);

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) => (at === null || at === undefined ? at : Reflect.get(Object(at), key)),
    value,
  );

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
      if (errors) throw new DoNotRetry(paramsMessage(task, new InvalidInput(errors).errors, values.size > 0));
      if (values.size === 0) return task.run({ ...context, params: value });
      const redactor = redactorOf(values);
      try {
        return redactor.value(await task.run({ ...withRedaction(context, redactor), params: value }));
      } catch (error) {
        throw error === context.signal.reason ? error : redactor.error(error);
      }
    },
  };
}

/** With secrets, the message names only the fields: the text of an error may contain a part of the value. */
const paramsMessage = (task: Task, errors: readonly FieldError[], secret: boolean): string =>
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
