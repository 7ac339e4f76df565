// The explanation of a failed request for users.
import { PunctualApiError, PunctualNetworkError } from '../../src/client/errors.ts';

export interface ProblemText {
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  /** The wrong fields of the request. */
  readonly fields: readonly { readonly path: string; readonly message: string }[];
}

export function problemText(error: unknown): ProblemText {
  if (error instanceof PunctualApiError) {
    const { status, problem } = error;
    // A limit of the user does not go away by waiting, so its own title is shown.
    const known = problem?.limit ? undefined : TITLES[status];
    return {
      title: known ?? problem?.title ?? `The server answered ${status}`,
      detail: problem?.detail ?? error.message,
      requestId: error.requestId,
      fields: error.fieldErrors.map(({ path, message }) => ({ path, message })),
    };
  }
  const detail = error instanceof Error ? error.message : String(error);
  const title = error instanceof PunctualNetworkError ? 'The server did not answer' : 'Something went wrong';
  return { title, detail, requestId: undefined, fields: [] };
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'Your login has expired',
  403: 'You are not allowed to do this',
  404: 'Not found, or not yours',
  412: 'Somebody else has changed it',
  429: 'Too many requests: the console slows down',
  503: 'The service is busy: the console slows down',
};
