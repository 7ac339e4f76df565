// Everything a caller can do wrong, as types that carry data. The API maps them to HTTP in one place.

export interface FieldError {
  /** Where in the request, such as `schedule.cron`. */
  readonly path: string;
  /** What was given and what is allowed. */
  readonly message: string;
}

export abstract class PunctualError extends Error {
  abstract readonly status: number;
  abstract readonly title: string;
  override get name(): string {
    return this.constructor.name;
  }
}

export class InvalidInput extends PunctualError {
  readonly status = 400;
  readonly title = 'Bad input';
  readonly errors: readonly FieldError[];
  constructor(errors: readonly FieldError[]) {
    super(errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; '));
    this.errors = errors;
  }
}

/** The route exists and is not for this caller. What belongs to another user is NotFound instead. */
export class Forbidden extends PunctualError {
  readonly status = 403;
  readonly title = 'Not allowed';
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
  readonly title = 'Changed since you read it';
}

export class QuotaExceeded extends PunctualError {
  readonly status = 429;
  readonly title = 'Over the quota';
  /** When to try again, where waiting helps. */
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The schedule is well formed and has no occurrence from now on. */
export class NeverFires extends PunctualError {
  readonly status = 422;
  readonly title = 'The schedule never fires';
}
