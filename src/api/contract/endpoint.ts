// One operation of the REST API as data: what it takes and what it answers. Routing, validation, types and
// documentation are made from it.
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Which of the two services answers: writes and reads are deployed, scaled and permitted apart. */
export type Service = 'scheduler' | 'query';

export interface Operation {
  readonly id: string;
  readonly service: Service;
  readonly method: Method;
  /** With `{name}` for each path parameter. */
  readonly path: string;
  readonly summary: string;
  /** Whether it needs a token. */
  readonly auth: boolean;
  readonly description?: string;
  /** A path parameter of another form names nothing that exists: 404. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** By lower-case name; headers that are not named here are not looked at. */
  readonly headers?: z.ZodObject;
  /** An optional schema: a request without a body is taken too. */
  readonly body?: z.ZodType;
  readonly success: Success;
  /** Another success, when the request asks for it. */
  readonly alternative?: Success;
  /** What it may answer beside what follows from the rest (`statusesOf`). */
  readonly errors: readonly number[];
}

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Of a JSON body. */
  readonly body?: z.ZodType;
  /** Of a body that is not JSON. */
  readonly contentType?: string;
  /** What each header says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Keeps the exact type, so that a handler's input can be inferred from it. */
export const operation = <const O extends Operation>(definition: O): O => definition;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler is given, already validated. */
export interface Input<O extends Operation> {
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly headers: Parsed<O['headers']>;
  readonly body: Parsed<O['body']>;
}

/** What a handler may want to know of the request besides. */
export interface RequestInfo {
  readonly requestId: string;
}

/** What a handler answers; the status is that of the operation's success, or of its alternative. */
export interface Reply {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly alternative?: true;
}

/** Whether a request may come without a body. */
export const isBodyOptional = ({ body }: Pick<Operation, 'body'>): boolean =>
  body === undefined || body.safeParse(undefined).success;

/** Every status that the operation may answer with. */
export function statusesOf(operation: Operation): number[] {
  const { success, alternative, query, headers, body, params, auth, errors } = operation;
  const all = [
    success.status,
    ...(alternative ? [alternative.status] : []),
    ...(query || headers || body ? [400] : []),
    ...(auth ? [401] : []),
    ...(params ? [404] : []),
    ...(body ? [413, 415] : []),
    ...errors,
    500,
    503,
  ];
  return [...new Set(all)].sort((a, b) => a - b);
}

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);

/** The methods that this path knows; empty when there is no such path. */
export const methodsOf = (operations: readonly Operation[], path: string): Method[] =>
  operations.filter((operation) => pattern(operation.path).test(path)).map((operation) => operation.method);
