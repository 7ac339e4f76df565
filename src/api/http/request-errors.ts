// Errors of a request before it reaches a use case.
import { PunctualError } from '../../domain/errors.ts';

/** An HTTP error, which may add headers to the response. */
export abstract class RequestError extends PunctualError {
  get headers(): Readonly<Record<string, string>> {
    return {};
  }
}

export class Unauthorized extends RequestError {
  readonly status = 401;
  readonly title = 'Unauthorized';
  readonly #hasToken: boolean;
  readonly #scheme: string;

  /** `hasToken` is true if the request has a token, which is invalid. */
  constructor(message: string, hasToken = false, scheme = 'Bearer') {
    super(message);
    this.#hasToken = hasToken;
    this.#scheme = scheme;
  }

  override get headers() {
    return { 'www-authenticate': this.#hasToken ? `${this.#scheme} error="invalid_token"` : this.#scheme };
  }
}

export class UnknownRoute extends RequestError {
  readonly status = 404;
  readonly title = 'Not found';
  constructor(path: string) {
    super(`there is no route ${path.slice(0, 200)}`);
  }
}

export class MethodNotAllowed extends RequestError {
  readonly status = 405;
  readonly title = 'Method not allowed';
  readonly #allowed: readonly string[];

  constructor(method: string, path: string, allowed: readonly string[]) {
    super(`${path.slice(0, 200)} does not allow ${method}; it allows ${allowed.join(', ')}`);
    this.#allowed = allowed;
  }

  override get headers() {
    return { allow: this.#allowed.join(', ') };
  }
}

export class BodyTooLarge extends RequestError {
  readonly status = 413;
  readonly title = 'Body too large';
  constructor(limit: number) {
    super(`the body must have at most ${limit} bytes`);
  }
}

export class NotJson extends RequestError {
  readonly status = 415;
  readonly title = 'Unsupported content type';
  constructor(contentType: string | undefined) {
    super(
      `the content type must be application/json, got ${contentType === undefined ? 'none' : JSON.stringify(contentType.slice(0, 100))}`,
    );
  }
}

/** A transient error. `Retry-After` asks the client to repeat the request. */
export class Unavailable extends RequestError {
  readonly status = 503;
  readonly title = 'Service unavailable';

  override get headers() {
    return { 'retry-after': '1' };
  }
}
