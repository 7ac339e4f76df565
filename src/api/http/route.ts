// A route: an operation of the contract with its handler. It validates the request, calls the handler and builds the
// response.
import { z } from 'zod';
import { nextSlice } from '../../concurrency/request-turns.ts';
import { InvalidInput, NotFound } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import { type Parsed, parse } from '../../domain/validation/validation.ts';
import {
  type Input,
  isBodyOptional,
  type Operation,
  type Reply,
  type RequestInfo,
} from '../contract/endpoint.ts';
import { jsonBody } from './body.ts';
import type { HttpEvent, HttpResponse } from './http-event.ts';
import { parseJson } from './json-values.ts';
import { requestIdOf } from './request-id.ts';

export interface Route {
  readonly operation: Operation;
  /** `principal` is undefined if the operation needs no token. */
  respond(event: HttpEvent, principal: Principal | undefined): Promise<HttpResponse>;
}

type PrincipalFor<O extends Operation> = O['auth'] extends true ? Principal : undefined;

interface Implementation<O extends Operation> {
  /** Parses the body instead of the schema of the operation, for checks that a schema cannot do. */
  body?(input: unknown): Parsed<Input<O>['body']>;
  handle(input: Input<O>, principal: PrincipalFor<O>, info: RequestInfo): Promise<Reply>;
}

export function route<O extends Operation>(operation: O, implementation: Implementation<O>): Route {
  return {
    operation,
    async respond(event, principal) {
      const input = await readInput(operation, event, implementation.body);
      const info = { requestId: requestIdOf(event), acceptEncoding: event.headers['accept-encoding'] };
      // `Input` is inferred from the schemas that `readInput` parses with.
      const reply = await implementation.handle(input as Input<O>, principal as PrincipalFor<O>, info);
      await nextSlice();
      const { status, contentType } = (reply.alternative && operation.alternative) || operation.success;
      return respond(status, reply, contentType);
    },
  };
}

/** A request with a body changes something. A parameter such as `dryRun` that it does not have is refused, not ignored. */
const NO_QUERY = z.strictObject({});

/** Builds a response. The body is JSON unless `contentType` says otherwise. Bytes are sent as they are, with the type of `headers`. */
export function respond(
  statusCode: number,
  { body, headers = {} }: Reply,
  contentType = 'application/json',
): HttpResponse {
  if (body === undefined) return { statusCode, headers: { ...headers } };
  if (Buffer.isBuffer(body))
    return { statusCode, headers: { ...headers }, body: body.toString('base64'), isBase64Encoded: true };
  return {
    statusCode,
    headers: { 'content-type': contentType, ...headers },
    body: contentType.endsWith('json') ? JSON.stringify(body) : String(body),
  };
}

async function readInput(
  operation: Operation,
  event: HttpEvent,
  parseBody: ((input: unknown) => Parsed<unknown>) | undefined,
): Promise<Record<keyof Input<Operation>, unknown>> {
  const params = operation.params && parse(operation.params, event.pathParameters ?? {});
  if (params?.errors) {
    if (operation.namesInPath) throw new InvalidInput(params.errors);
    const [id = ''] = Object.values(event.pathParameters ?? {});
    throw new NotFound(nounOf(operation), id.slice(0, 100));
  }

  const { body: schema } = operation;
  const bodyParser = parseBody ?? (schema && ((input: unknown) => parseJson(schema, input)));
  const querySchema = operation.query ?? (schema && NO_QUERY);
  const json = bodyParser && (!event.body && isBodyOptional(operation) ? undefined : jsonBody(event));
  // the JSON of a large body alone needs the time of a slice
  if (json !== undefined) await nextSlice();
  const parts = {
    query: querySchema && parse(querySchema, queryOf(event)),
    headers: operation.headers && parse(operation.headers, event.headers),
    body: bodyParser?.(json),
  };
  const errors = Object.values(parts).flatMap((part) => part?.errors ?? []);
  if (errors.length > 0) throw new InvalidInput(errors);
  return {
    params: params?.value,
    query: parts.query?.value,
    headers: parts.headers?.value,
    body: parts.body?.value,
  };
}

/** The name of the resource: `execution` for `/executions/{id}`. */
const nounOf = ({ path }: Operation): string => path.split('/')[1]?.replace(/s$/, '') ?? '';

/** Parses the raw query, because API Gateway joins repeated parameters with a comma, which may be part of a value. */
function queryOf(event: HttpEvent): Record<string, string> {
  if (!isUnicode(event.rawQueryString))
    throw new InvalidInput([{ path: '', message: 'the query must be percent-encoded UTF-8' }]);
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of new URLSearchParams(event.rawQueryString)) {
    if (values.has(name)) repeated.add(name);
    values.set(name, value);
  }
  if (repeated.size > 0)
    throw new InvalidInput([...repeated].map((path) => ({ path, message: 'is given more than once' })));
  return Object.fromEntries(values);
}

/** Whether the query is UTF-8. URLSearchParams would replace invalid bytes by U+FFFD. */
function isUnicode(query: string): boolean {
  try {
    return decodeURIComponent(query).isWellFormed();
  } catch {
    return false;
  }
}
