// Faults of DynamoDB, SQS and the network that pass by themselves: the request may be repeated. Everything else is a mistake
// of ours or of the configuration.

/** By the names of the SDK. A queue that does not exist is one that is being made: the embedded engine restarts without. */
const PASSING =
  /Throttl|ThroughputExceeded|LimitExceeded|^OverLimit$|TransactionConflict|TransactionInProgress|^Internal(Server)?(Error|Failure)$|^ServiceUnavailable|QueueDoesNotExist|NonExistentQueue|^ExpiredToken|^TimeoutError$/;

/**
 * Our own: nothing was decided, or DynamoDB and SQS were busy for longer than we wait. A StoreFault says that the file of the
 * embedded store is full, locked or damaged.
 */
const OWN = new Set(['WriterTooSlow', 'Unprocessed', 'EntryFailed', 'StoreFault']);

/** No connection, or one that broke off. */
const NO_ANSWER = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** What the SDK adds to an error. */
interface AwsError {
  readonly code?: unknown;
  readonly $fault?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: unknown;
}

export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $fault, $metadata, $response } = error as AwsError;
  const status = $metadata?.httpStatusCode ?? 0;
  if (status >= 500 || status === 429 || $fault === 'server') return true;
  if (typeof code === 'string' && NO_ANSWER.has(code)) return true;
  // the SDK could not read an answer: it broke off, or something between has given it
  if (error instanceof SyntaxError) return $response !== undefined;
  return PASSING.test(error.name) || OWN.has(error.name);
}
