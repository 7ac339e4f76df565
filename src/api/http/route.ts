// From an operation of the contract and its function to what the router calls: the input is checked, then the function
// runs, then its reply becomes the response.
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
  /** `who` is undefined for an operation without a token. */
  respond(event: HttpEvent, who: Principal | undefined): Promise<HttpResponse>;
}

type WhoFor<O extends Operation> = O['auth'] extends true ? Principal : undefined;

interface Implementation<O extends Operation> {
  /** In place of the operation's schema, when that is not all there is to check. */
  body?(input: unknown): Parsed<Input<O>['body']>;
  handle(input: Input<O>, who: WhoFor<O>, info: RequestInfo): Promise<Reply>;
}

export function route<O extends Operation>(operation: O, implementation: Implementation<O>): Route {
  return {
    operation,
    async respond(event, who) {
      const input = readInput(operation, event, implementation.body);
      const info = { requestId: requestIdOf(event) };
      // the schemas that `readInput` parsed with are those that Input is inferred from
      const reply = await implementation.handle(input as Input<O>, who as WhoFor<O>, info);
      const { status, contentType } = (reply.alternative && operation.alternative) || operation.success;
      return respond(status, reply, contentType);
    },
  };
}

/** A body is JSON, unless its content type is another. */
export function respond(
  statusCode: number,
  { body, headers = {} }: Reply,
  contentType = 'application/json',
): HttpResponse {
  if (body === undefined) return { statusCode, headers: { ...headers } };
  return {
    statusCode,
    headers: { 'content-type': contentType, ...headers },
    body: contentType.endsWith('json') ? JSON.stringify(body) : String(body),
  };
}

function readInput(
  operation: Operation,
  event: HttpEvent,
  parseBody: ((input: unknown) => Parsed<unknown>) | undefined,
): Record<keyof Input<Operation>, unknown> {
  const params = operation.params && parse(operation.params, event.pathParameters ?? {});
  if (params?.errors) {
    const [given = ''] = Object.values(event.pathParameters ?? {});
    throw new NotFound(nounOf(operation), given.slice(0, 100));
  }

  const { body: schema } = operation;
  const bodyParser = parseBody ?? (schema && ((input: unknown) => parseJson(schema, input)));
  const parts = {
    query: operation.query && parse(operation.query, queryOf(event)),
    headers: operation.headers && parse(operation.headers, event.headers),
    body: bodyParser?.(!event.body && isBodyOptional(operation) ? undefined : jsonBody(event)),
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

/** `execution` of `/executions/{id}`. */
const nounOf = ({ path }: Operation): string => path.split('/')[1]?.replace(/s$/, '') ?? '';

/** From the raw text: API Gateway joins what is given twice with a comma, which could be a value's own. */
function queryOf(event: HttpEvent): Record<string, string> {
  if (!isUnicode(event.rawQueryString))
    throw new InvalidInput([{ path: '', message: 'the query must be percent-encoded UTF-8' }]);
  const query = new URLSearchParams(event.rawQueryString);
  const twice = [...new Set(query.keys())].filter((key) => query.getAll(key).length > 1);
  if (twice.length > 0) {
    throw new InvalidInput(
      twice.map((path) => ({ path, message: 'is given more than once; once is allowed' })),
    );
  }
  return Object.fromEntries(query);
}

/** URLSearchParams would put U+FFFD in the place of what is no UTF-8. */
function isUnicode(query: string): boolean {
  try {
    return decodeURIComponent(query).isWellFormed();
  } catch {
    return false;
  }
}
