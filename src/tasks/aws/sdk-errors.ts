// Classifies the errors of AWS calls: retryable (AwsFailure) or not (DoNotRetry).
import { DoNotRetry } from '../task.ts';

/** A temporary failure of an AWS service or of the network. The job's `retry` applies. */
export class AwsFailure extends Error {
  override readonly name = 'AwsFailure';
}

/** Errors with a 4xx status that are temporary: throttling, concurrent changes, expired credentials. */
const TEMPORARY =
  /Throttl|TooManyRequests|RateExceeded|SlowDown|RequestLimit|LimitExceeded|Timeout|Unavailable|NotReady|Pending|ResourceConflict|ExpiredToken|RequestExpired|InternalFailure|InternalError|ServerException|Capacity/i;
const DENIED = /AccessDenied|UnauthorizedOperation|NotAuthorized|AuthorizationError|Forbidden/i;

/** `action` completes "could not …", such as `invoke the function "report"`. */
export function classifyAwsError(action: string, error: unknown): Error {
  const { name, message, status } = parts(error);
  // The service's message names the role and the account, which users must not see.
  if (DENIED.test(name)) return new DoNotRetry(`the worker is not allowed to ${action} (${name})`);
  const text = `could not ${action}: ${name}: ${message}`;
  if (status === undefined || status >= 500 || status === 429 || TEMPORARY.test(name))
    return new AwsFailure(text, { cause: error });
  return new DoNotRetry(text);
}

/** The error of a batch entry that was refused in a response with status 200. */
export const entryFailure = (action: string, code = 'Unknown', message = ''): Error =>
  classifyAwsError(
    action,
    Object.assign(new Error(message), { name: code, $metadata: { httpStatusCode: 400 } }),
  );

/** Calls an AWS service and classifies its errors. After an abort, it throws the reason of the signal. */
export async function callAws<T>(action: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw classifyAwsError(action, error);
  }
}

/** `status` is undefined if no service has answered: a network error, or missing credentials. */
function parts(error: unknown): { name: string; message: string; status: number | undefined } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), status: undefined };
  const metadata = '$metadata' in error ? Object(error.$metadata) : {};
  const status = typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
  return { name: error.name, message: error.message, status };
}
