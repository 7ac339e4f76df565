// API Gateway events as the handlers get them, and their responses as tests check them.
import type { ApiHandler, HttpEvent, HttpResponse } from '../../src/api/http/http-event.ts';

/** The account of the API. */
const ACCOUNT = '123456789012';

export interface Call {
  readonly user?: string | null;
  readonly groups?: unknown;
  /** Replaces the claims of `user` and `groups`. */
  readonly claims?: Record<string, unknown>;
  /** The ARN of the caller who signed the request, instead of claims. */
  readonly iam?: string;
  readonly headers?: Record<string, string>;
  /** Sent as JSON. A string or bytes are sent as they are. */
  readonly body?: unknown;
  readonly base64?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  // tests look into bodies of many shapes
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly body: any;
}

export function eventOf(method: string, url: string, call: Call = {}): HttpEvent {
  const [path = '/', query = ''] = url.split('?');
  const { user = 'alice', groups, claims = { sub: user, groups } } = call;
  const bytes = Buffer.isBuffer(call.body)
    ? call.body
    : Buffer.from(typeof call.body === 'string' ? call.body : (JSON.stringify(call.body) ?? ''));
  const headers = call.body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { ...headers, ...call.headers },
    requestContext: {
      accountId: ACCOUNT,
      apiId: 'test',
      domainName: 'test',
      domainPrefix: 'test',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'made-by-gateway',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
      ...authorizerOf(user, claims, call.iam),
    },
    body: call.body === undefined ? undefined : bytes.toString(call.base64 ? 'base64' : 'utf8'),
    isBase64Encoded: call.base64 ?? false,
  };
}

function authorizerOf(user: string | null, claims: Record<string, unknown>, userArn?: string) {
  if (userArn !== undefined) return { authorizer: { iam: { accountId: userArn.split(':')[4], userArn } } };
  return user === null ? {} : { authorizer: { jwt: { claims } } };
}

/** A compressed body stays as it is: bytes. */
function bodyOf({ headers, body, isBase64Encoded }: HttpResponse): unknown {
  if (body === undefined) return undefined;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (headers?.['content-encoding'] !== undefined) return bytes;
  return String(headers?.['content-type']).endsWith('json') ? JSON.parse(String(bytes)) : String(bytes);
}

export const caller =
  (api: ApiHandler) =>
  async (method: string, url: string, call?: Call): Promise<Answer> => {
    const response = await api(eventOf(method, url, call));
    return {
      status: response.statusCode ?? 200,
      headers: response.headers as Record<string, string>,
      body: bodyOf(response),
    };
  };
