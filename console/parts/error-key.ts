// The key of the group of dead letters that a failure belongs to. The server computes the same key.
import { ERROR_KEY_LENGTH, errorKeyText } from '../../src/domain/executions/error-key-text.ts';

interface Failure {
  readonly error?: { readonly name: string; readonly message: string } | undefined;
  readonly reason?: string | undefined;
}

/** Needs a page from https or from loopback, because browsers have `crypto.subtle` only there. */
export async function errorKeyOf({ error, reason }: Failure): Promise<string> {
  const text = new TextEncoder().encode(errorKeyText({ error, reason }));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .slice(0, ERROR_KEY_LENGTH);
}
