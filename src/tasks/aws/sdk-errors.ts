// What a failed call of an AWS service means for the job: try again, or do not.
import { DoNotRetry } from '../task.ts';

/** An AWS service, or the way to it, failed for now. */
export class AwsFailure extends Error {
  override readonly name = 'AwsFailure';
}

/** Client errors by their status that pass by themselves: too fast, being changed, credentials that are being renewed. */
const PASSING =
  /Throttl|TooManyRequests|RateExceeded|SlowDown|RequestLimit|LimitExceeded|Timeout|Unavailable|NotReady|Pending|ResourceConflict|ExpiredToken|RequestExpired|InternalFailure|InternalError|ServerException|Capacity/i;
const DENIED = /AccessDenied|UnauthorizedOperation|NotAuthorized|AuthorizationError|Forbidden/i;

/** `action` says action was tried, such as `invoke the function "report"`. */
export function awsFailure(action: string, error: unknown): Error {
  const { name, message, status } = parts(error);
  // the service's own words name the role and the account: not the tenant's
  if (DENIED.test(name)) return new DoNotRetry(`the worker is not allowed to ${action} (${name})`);
  const text = `could not ${action}: ${name}: ${message}`;
  if (status === undefined || status >= 500 || status === 429 || PASSING.test(name))
    return new AwsFailure(text, { cause: error });
  return new DoNotRetry(text);
}

/** The same for an entry of a batch that was refused with an error code in an answer of status 200. */
export const entryFailure = (action: string, code = 'Unknown', message = ''): Error =>
  awsFailure(action, Object.assign(new Error(message), { name: code, $metadata: { httpStatusCode: 400 } }));

/** Calls, and says action the failure means; an abort stays action it is. */
export async function callAws<T>(action: string, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw awsFailure(action, error);
  }
}

/** Without a status no service has answered: the network, or no credentials yet. */
function parts(error: unknown): { name: string; message: string; status: number | undefined } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), status: undefined };
  const metadata = '$metadata' in error ? Object(error.$metadata) : {};
  const status = typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
  return { name: error.name, message: error.message, status };
}
