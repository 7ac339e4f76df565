// The errors that callers cause, with their HTTP status. The API turns them into problem documents in one place.

export interface FieldError {
  /** The field of the request, such as `schedule.cron`. */
  readonly path: string;
  /** The value that was given and the values that are allowed. */
  readonly message: string;
}

export abstract class PunctualError extends Error {
  abstract readonly status: number;
  abstract readonly title: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The number of errors that an answer lists. A body has space for 30,000 wrong fields. */
const MAX_LISTED = 10;
const MAX_PATH = 200;
const MAX_MESSAGE = 1_000;

/** The first errors, and the number of the others as an error without a field. */
function listed(errors: readonly FieldError[]): FieldError[] {
  const first = errors
    .slice(0, MAX_LISTED)
    .map(({ path, message }) => ({ path: cut(path, MAX_PATH), message: cut(message, MAX_MESSAGE) }));
  const more = errors.length - first.length;
  if (more === 0) return first;
  return [...first, { path: '', message: `and ${more} more error${more === 1 ? '' : 's'}` }];
}

/** The beginning of a text that is too long for an answer. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`;

export class InvalidInput extends PunctualError {
  readonly status = 400;
  readonly title = 'Invalid input';
  /** At most `MAX_LISTED`, and the number of the others. */
  readonly errors: readonly FieldError[];
  constructor(errors: readonly FieldError[]) {
    const first = listed(errors);
    super(first.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; '));
    this.errors = first;
  }
}

/** The caller may not use this route. For another user's job the error is NotFound, so that ids cannot be guessed. */
export class Forbidden extends PunctualError {
  readonly status = 403;
  readonly title = 'Forbidden';
}

export class NotFound extends PunctualError {
  readonly status = 404;
  readonly title = 'Not found';
  constructor(what: string, id: string) {
    super(`there is no ${what} ${id}`);
  }
}

export class Conflict extends PunctualError {
  readonly status = 409;
  readonly title = 'Conflict';
}

export class PreconditionFailed extends PunctualError {
  readonly status = 412;
  readonly title = 'Precondition failed';
}

/** A limit of the owner was reached (src/domain/jobs/owner-limits.ts). */
export class QuotaExceeded extends PunctualError {
  readonly status = 429;
  readonly title = 'Quota exceeded';
  readonly limit: { readonly name: string; readonly value: number };
  /** Seconds to wait before the next try. Undefined if waiting does not help. */
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, retryAfterSeconds: number | undefined, limit: QuotaExceeded['limit']) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.limit = limit;
  }
}

/** The schedule is valid, but it has no occurrence from now on. */
export class NeverFires extends PunctualError {
  readonly status = 422;
  readonly title = 'The schedule never fires';
}
