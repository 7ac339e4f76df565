// A fetch for the server of a data folder. It has a token that the folder's key signs, and sends it to no other program.
import type { JWK } from 'jose';
import { proveServer } from './server-proof.ts';
import { COMMAND_LIFETIME, signToken } from './tokens.ts';

/** Well before the token ends, so that no request arrives with an old one. */
const RENEW_AFTER_MS = 120_000;

interface Session {
  readonly origin: string;
  readonly token: string;
  /** By `performance.now()`. */
  readonly until: number;
}

/**
 * Throws NotProven if the program at the address is not the server of the key. The returned `fetch` sends to the address that
 * proved itself. After a failure the server proves itself again, because another one may listen there.
 */
export async function fetchOfOwnServer(
  server: URL,
  key: JWK,
  user: string,
  groups: readonly string[],
): Promise<typeof fetch> {
  const open = async (): Promise<Session> => {
    const { origin, start } = await proveServer(server, key);
    const token = await signToken(key, user, groups, { lifetime: COMMAND_LIFETIME, start });
    return { origin, token, until: performance.now() + RENEW_AFTER_MS };
  };
  let session: Session | undefined = await open();

  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (!session || performance.now() >= session.until) session = await open();
    const { pathname, search } = new URL(String(input));
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${session.token}`);
    return fetch(`${session.origin}${pathname}${search}`, { ...init, headers });
  };

  return async (input, init) => {
    try {
      const response = await send(input, init);
      if (response.status !== 401) return response;
    } catch (error) {
      session = undefined;
      throw error;
    }
    // the server was started again, and has done nothing
    session = undefined;
    return send(input, init);
  };
}
