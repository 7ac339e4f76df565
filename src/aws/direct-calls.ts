// The requests that a worker sends all day, made without the SDK's machinery: the input as JSON, signed, and handed to the
// client's own request handler. From the command to the request the SDK resolves endpoint rules, auth schemes and schemas,
// and copies its configuration four times: 0.4 ms of CPU a request, of 0.6 (docs/decisions/0019).
//
// Only what succeeds is done here. The first request of a kind goes the SDK's way and shows where the others have to go.
// Anything but a 200 goes the SDK's way from the beginning, after the pause that its own retry would make: it knows errors,
// backs off, corrects the clock. So does everything for a second after that.
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type {
  FinalizeRequestMiddleware,
  HandlerExecutionContext,
  HttpRequest,
  InitializeMiddleware,
  MiddlewareStack,
  RetryErrorType,
  RetryStrategyV2,
} from '@smithy/types';
import { createSigner, type Sign } from './sigv4.ts';

/** Plain JSON both ways (no attribute of ours is binary), and no error is an everyday answer. */
const DIRECT = new Set([
  ...['BatchGetItemCommand', 'BatchWriteItemCommand', 'BatchExecuteStatementCommand', 'QueryCommand'],
  ...['ReceiveMessageCommand', 'SendMessageBatchCommand', 'DeleteMessageBatchCommand'],
  ...['ChangeMessageVisibilityBatchCommand'],
]);
const NOT_DIRECT_AFTER_FAILURE_MS = 1_000;
const DIRECT_SCOPE = 'direct';

class NotDone extends Error {
  override readonly name = 'NotDone';
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

const THROTTLED = /Throttl|ThroughputExceeded|RequestLimitExceeded|TooManyRequests/;

/** Undefined: it would be refused again. The SDK asks once more, to say it in its own words. */
function retryTypeOf(error: unknown): RetryErrorType | undefined {
  if (!(error instanceof NotDone) || error.status >= 500) return 'TRANSIENT';
  return THROTTLED.test(error.message) ? 'THROTTLING' : undefined;
}

/** Where the requests of a kind go, and how they are signed. */
interface Route {
  readonly to: Pick<HttpRequest, 'protocol' | 'hostname' | 'port' | 'path' | 'method'>;
  readonly headers: Record<string, string>;
  readonly userAgent: string;
  readonly sign: Sign;
}

interface Input {
  /** A client may be asked for queues of several hosts. */
  readonly QueueUrl?: string;
}

export function callDirectly(client: DynamoDBClient | SQSClient): void {
  const { config } = client;
  const routes = new Map<string, Route>();
  const kindOf = (context: HandlerExecutionContext, { QueueUrl }: Input): string | undefined =>
    DIRECT.has(context.commandName ?? '') ? `${context.commandName} ${QueueUrl}` : undefined;

  async function call({ to, headers, userAgent, sign }: Route, input: Input, abortSignal?: AbortSignal) {
    const json = JSON.stringify(input);
    const signed = sign(headers, json, await config.credentials(), Date.now() + config.systemClockOffset);
    const request = { ...to, headers: { ...signed, 'user-agent': userAgent }, body: json };
    const { response } = await config.requestHandler.handle(request as HttpRequest, { abortSignal });
    const { statusCode } = response;
    const body = await text(response.body);
    if (statusCode !== 200) throw new NotDone(statusCode, body);
    return { response, output: { $metadata: { httpStatusCode: statusCode }, ...JSON.parse(body) } };
  }

  let notBefore = 0;
  const direct: InitializeMiddleware<Input, object> = (next, context) => async (args) => {
    const route = routes.get(kindOf(context, args.input) ?? '');
    if (!route || performance.now() < notBefore) return next(args);
    const signal = context.__smithy_context?.abortSignal as AbortSignal | undefined;
    // one budget for retries, whoever makes them: successes here pay for those of the SDK
    const retries = (await config.retryStrategy()) as RetryStrategyV2;
    const token = await retries.acquireInitialRetryToken(DIRECT_SCOPE);
    try {
      const done = await call(route, args.input, signal);
      retries.recordSuccess(token);
      return done;
    } catch (error) {
      if (signal?.aborted) throw error;
      notBefore = performance.now() + NOT_DIRECT_AFTER_FAILURE_MS;
      const errorType = retryTypeOf(error);
      const retry =
        errorType && (await retries.refreshRetryTokenForRetry(token, { errorType }).catch(() => undefined));
      if (retry) await sleep(retry.getRetryDelay(), undefined, { signal });
      const done = await next(args);
      if (retry) retries.recordSuccess(retry);
      return done;
    }
  };
  const learn: FinalizeRequestMiddleware<Input, object> = (next, context) => (args) => {
    const kind = kindOf(context, args.input);
    const route = kind && !routes.has(kind) && routeOf(args.request as HttpRequest);
    if (kind && route) routes.set(kind, route);
    return next(args);
  };
  const stack = client.middlewareStack as MiddlewareStack<Input, object>;
  stack.add(direct, { step: 'initialize', priority: 'high', name: 'direct' });
  stack.addRelativeTo(learn, { relation: 'after', toMiddleware: 'httpSigningMiddleware', name: 'learn' });
}

const SCOPE = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\/aws4_request,/;

/** Undefined when it is signed in another way, or goes elsewhere than to the root. */
function routeOf({ protocol, hostname, port, path, method, headers }: HttpRequest): Route | undefined {
  const [, region, service] = SCOPE.exec(headers.authorization ?? '') ?? [];
  if (!region || !service || path !== '/') return undefined;
  const kept = ['content-type', 'host', 'x-amz-target'].map((name) => [name, headers[name] ?? '']);
  return {
    to: { protocol, hostname, port, path, method },
    headers: Object.fromEntries(kept),
    userAgent: headers['user-agent'] ?? '',
    sign: createSigner({ region, service }),
  };
}
