// The AWS SDK clients as every runtime needs them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';

export interface ClientOptions {
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Absent: as the SDK finds them (AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL, the region's). */
  readonly endpoints?: { readonly dynamodb?: string; readonly sqs?: string };
  /** Told the `Date` header of each answer, and when its request was sent and it was received (`performance.now()`). */
  readonly heard?: (date: string | undefined, sent: number, received: number) => void;
  /**
   * Connections to DynamoDB, and so the requests under way. Default: more than a busy worker needs. 1 for dynoxide, whose CPU
   * per request grows with the number of requests under way (docs/decisions/0018).
   */
  readonly dynamodbSockets?: number;
}

export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  /** Long polls hold their connection for 20 s: on a client of their own they are in nobody's way. */
  readonly sqsPolls: SQSClient;
  destroy(): void;
}

/** The SDK's default of 50 connections is less than a busy worker has calls under way. */
const MAX_SOCKETS = 256;

/** A call that hangs must be given up and repeated well within a lease (30 s) and a writer's deadline. */
const CALL_TIMEOUT_MS = 5_000;
const POLL_TIMEOUT_MS = 30_000;

const requestHandler = (requestTimeout: number, maxSockets = MAX_SOCKETS) => ({
  // a request that waits for the only socket would count as one that cannot connect
  connectionTimeout: maxSockets > 1 ? 2_000 : undefined,
  requestTimeout,
  throwOnRequestTimeout: true,
  socketTimeout: requestTimeout, // an answer may also stop in the middle
  httpAgent: { keepAlive: true, maxSockets },
  httpsAgent: { keepAlive: true, maxSockets },
});

export function createClients(options: ClientOptions = {}): Clients {
  const { region, credentials, endpoints = {}, heard, dynamodbSockets } = options;
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
      md5: false, // what goes over TLS need not be summed up once more, message by message
    });
  const clients = { dynamodb, sqs: sqs(CALL_TIMEOUT_MS), sqsPolls: sqs(POLL_TIMEOUT_MS) };
  // it copies every input and output for a log line that a logger which does nothing then drops
  for (const client of Object.values(clients)) client.middlewareStack.remove('loggerMiddleware');
  if (heard) for (const client of Object.values(clients)) hearDates(client, heard);
  return {
    ...clients,
    destroy() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

/** At the request handler, which every attempt goes through. */
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
