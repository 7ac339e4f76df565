// The AWS SDK clients of all runtimes.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';

export interface ClientOptions {
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Default: the endpoints of AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL, or of the region. */
  readonly endpoints?: { readonly dynamodb?: string; readonly sqs?: string };
  /** Called with the `Date` header of each response and the times of request and response (`performance.now()`). */
  readonly heard?: (date: string | undefined, sent: number, received: number) => void;
  /** Called before each attempt of a call. Throws if the call must not be sent. */
  readonly beforeAttempt?: () => void;
  /**
   * Connections to DynamoDB, which limit the requests in flight. Default: `MAX_SOCKETS`. 1 for dynoxide, whose CPU per request
   * grows with the requests in flight (docs/decisions/0018).
   */
  readonly dynamodbSockets?: number;
}

export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  /** A separate client, because a long poll occupies its connection for 20 s. */
  readonly sqsPolls: SQSClient;
  destroy(): void;
}

/** The SDK's default is 50. A busy worker has more requests in flight. */
const MAX_SOCKETS = 256;

/** A call that hangs must time out and be retried well within a lease (30 s) and a writer's deadline. */
const CALL_TIMEOUT_MS = 5_000;
const POLL_TIMEOUT_MS = 30_000;

const requestHandler = (requestTimeout: number, maxSockets = MAX_SOCKETS) => ({
  // with one socket the wait for it would count as a connection timeout
  connectionTimeout: maxSockets > 1 ? 2_000 : undefined,
  requestTimeout,
  throwOnRequestTimeout: true,
  socketTimeout: requestTimeout, // a response may also stop in the middle
  httpAgent: { keepAlive: true, maxSockets },
  httpsAgent: { keepAlive: true, maxSockets },
});

export function createClients(options: ClientOptions = {}): Clients {
  const { region, credentials, endpoints = {}, heard, beforeAttempt, dynamodbSockets } = options;
  const common = { region, credentials, maxAttempts: 4 };
  const dynamodb = new DynamoDBClient({
    ...common,
    endpoint: endpoints.dynamodb,
    requestHandler: requestHandler(CALL_TIMEOUT_MS, dynamodbSockets),
  });
  const sqs = (timeout: number) =>
    new SQSClient({
      ...common,
      endpoint: endpoints.sqs,
      requestHandler: requestHandler(timeout),
      md5: false, // TLS already protects the bodies
    });
  const clients = { dynamodb, sqs: sqs(CALL_TIMEOUT_MS), sqsPolls: sqs(POLL_TIMEOUT_MS) };
  // the SDK's logger middleware copies every input and output, also if no logger is set
  for (const client of Object.values(clients)) client.middlewareStack.remove('loggerMiddleware');
  if (heard) for (const client of Object.values(clients)) hearDates(client, heard);
  if (beforeAttempt) for (const client of Object.values(clients)) askFirst(client, beforeAttempt);
  return {
    ...clients,
    destroy() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

function askFirst({ config: { requestHandler } }: DynamoDBClient | SQSClient, mayThrow: () => void): void {
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (...request) => {
    mayThrow();
    return handle(...request);
  };
}

/** Wraps the request handler, which sees every attempt. */
function hearDates(
  { config: { requestHandler } }: DynamoDBClient | SQSClient,
  heard: NonNullable<ClientOptions['heard']>,
): void {
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (...request) => {
    const sent = performance.now();
    const answer = await handle(...request);
    heard(answer.response.headers.date, sent, performance.now());
    return answer;
  };
}
