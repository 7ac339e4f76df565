// Transient errors of DynamoDB, SQS and the network, after which a request can be repeated. Other errors are bugs or wrong
// configuration.

/** Error names of the SDK. A missing queue is transient, because the embedded engine restarts without its queues. */
const TRANSIENT_NAMES =
  /Throttl|ThroughputExceeded|LimitExceeded|^OverLimit$|TransactionConflict|TransactionInProgress|^Internal(Server)?(Error|Failure)$|^ServiceUnavailable|QueueDoesNotExist|NonExistentQueue|^ExpiredToken|^TimeoutError$/;

/**
 * Names of Punctual's own errors: a decision was not written in time, or DynamoDB or SQS was busy for too long. A StoreFault
 * means that the file of the embedded store is full, locked or damaged.
 */
const OWN_NAMES = new Set(['WriterTooSlow', 'Unprocessed', 'EntryFailed', 'StoreFault']);

/** Error codes of a connection that failed or broke. */
const CONNECTION_CODES = new Set([
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

/** The fields that the SDK adds to an error. */
interface AwsError {
  readonly code?: unknown;
  readonly $fault?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: unknown;
}

export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $fault, $metadata, $response } = error as AwsError;
  const status = $metadata?.httpStatusCode ?? 0;
  if (status >= 500 || status === 429 || $fault === 'server') return true;
  if (typeof code === 'string' && CONNECTION_CODES.has(code)) return true;
  // The SDK could not parse a response: it was cut off, or a proxy sent it.
  if (error instanceof SyntaxError) return $response !== undefined;
  return TRANSIENT_NAMES.test(error.name) || OWN_NAMES.has(error.name);
}
