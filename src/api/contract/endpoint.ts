// An operation of the REST API as data: its request and its responses. Routing, validation, types and the OpenAPI document
// are derived from it.
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The service that handles an operation. Each is a Lambda function with its own permissions: `scheduler` writes, `query` reads, and
 * `docs` has files that are the same for everybody.
 */
export type Service = 'scheduler' | 'query' | 'docs';

export interface Operation {
  readonly id: string;
  readonly service: Service;
  readonly method: Method;
  /** Path parameters are written as `{name}`. */
  readonly path: string;
  readonly summary: string;
  /** Whether the operation needs a token. */
  readonly auth: boolean;
  readonly description?: string;
  /** A path parameter that does not match is answered with 404, or with 400 if `namesInPath` is true. */
  readonly params?: z.ZodObject;
  /** Whether the path parameters are names that the caller has chosen. Errors then say which names are allowed. */
  readonly namesInPath?: true;
  readonly query?: z.ZodObject;
  /** By lower-case name. Other headers are ignored. */
  readonly headers?: z.ZodObject;
  /** If the schema is optional, a request may have no body. */
  readonly body?: z.ZodType;
  readonly success: Success;
  /** A second successful response, which the request asks for. */
  readonly alternative?: Success;
  /** Error statuses that `statusesOf` does not derive from the other fields. */
  readonly errors: readonly number[];
}

export interface Success {
  readonly status: number;
  readonly description: string;
  /** The schema of a JSON body. */
  readonly body?: z.ZodType;
  /** The content type of a body that is not JSON. */
  readonly contentType?: string;
  /** The description of each response header. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Keeps the exact type, from which the input of the handler is inferred. */
export const operation = <const O extends Operation>(definition: O): O => definition;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** The validated input of a handler. */
export interface Input<O extends Operation> {
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly headers: Parsed<O['headers']>;
  readonly body: Parsed<O['body']>;
}

/** Metadata of the request. */
export interface RequestInfo {
  readonly requestId: string;
  /** The header `Accept-Encoding`. */
  readonly acceptEncoding: string | undefined;
}

/** The result of a handler. The status is that of `success`, or of `alternative`. */
export interface Reply {
  /** JSON, a text, or bytes that are compressed already. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly alternative?: true;
}

/** Whether a request may come without a body. */
export const isBodyOptional = ({ body }: Pick<Operation, 'body'>): boolean =>
  body === undefined || body.safeParse(undefined).success;

/** All statuses that the operation may respond with, in ascending order. */
export function statusesOf(operation: Operation): number[] {
  const { success, alternative, query, headers, body, params, namesInPath, auth, errors } = operation;
  const statuses = [
    success.status,
    ...(alternative ? [alternative.status] : []),
    ...(query || headers || body || namesInPath ? [400] : []),
    // 429 is the limit of requests per second, which applies to every user
    ...(auth ? [401, 429] : []),
    ...(params ? [404] : []),
    ...(body ? [413, 415] : []),
    ...errors,
    500,
    503,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);

/** The methods of a path. Empty if no operation has the path. */
export const methodsOf = (operations: readonly Operation[], path: string): Method[] =>
  operations.filter((operation) => pattern(operation.path).test(path)).map((operation) => operation.method);
