// Parses the JSON body of a request.
import { InvalidInput } from '../../domain/errors.ts';
import type { HttpEvent } from './http-event.ts';
import { BodyTooLarge, NotJson } from './request-errors.ts';

export const MAX_BODY_BYTES = 256 * 1024;

export function jsonBody(event: HttpEvent): unknown {
  // Both sizes are checked: the header may be wrong, and a local server stops reading if the header is too large.
  const declaredLength = Number(event.headers['content-length'] ?? 0);
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (declaredLength > MAX_BODY_BYTES || bytes.length > MAX_BODY_BYTES)
    throw new BodyTooLarge(MAX_BODY_BYTES);

  const contentType = event.headers['content-type'];
  if (!/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType ?? '')) throw new NotJson(contentType);

  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'the text is not UTF-8';
    throw new InvalidInput([{ path: '', message: `the body must be JSON: ${reason.slice(0, 200)}` }]);
  }
}
