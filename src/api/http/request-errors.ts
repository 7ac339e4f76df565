// What can be wrong with a request before any use case sees it.
import { PunctualError } from '../../domain/errors.ts';

/** Problems of HTTP itself, which may need a header in the answer. */
export abstract class RequestError extends PunctualError {
  get headers(): Readonly<Record<string, string>> {
    return {};
  }
}

export class Unauthorized extends RequestError {
  readonly status = 401;
  readonly title = 'No valid token';
  readonly #given: boolean;

  /** `given`: there was a token and it is not good. */
  constructor(message: string, given = false) {
    super(message);
    this.#given = given;
  }

  override get headers() {
    return { 'www-authenticate': this.#given ? 'Bearer error="invalid_token"' : 'Bearer' };
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
    super(`${path.slice(0, 200)} does not take ${method}; it takes ${allowed.join(', ')}`);
    this.#allowed = allowed;
  }

  override get headers() {
    return { allow: this.#allowed.join(', ') };
  }
}

export class BodyTooLarge extends RequestError {
  readonly status = 413;
  readonly title = 'Too large';
  constructor(limit: number) {
    super(`the body may have at most ${limit} bytes`);
  }
}

export class NotJson extends RequestError {
  readonly status = 415;
  readonly title = 'Not JSON';
  constructor(contentType: string | undefined) {
    super(
      `the content type must be application/json, got ${contentType === undefined ? 'none' : JSON.stringify(contentType.slice(0, 100))}`,
    );
  }
}

export class Unavailable extends RequestError {
  readonly status = 503;
  readonly title = 'Not available right now';

  override get headers() {
    return { 'retry-after': '1' };
  }
}
