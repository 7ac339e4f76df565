// The server and the token: from flags, then from the environment, then a local server and a token made with its key. A token that
// the command makes is for the server of the data folder alone.
import { createClient, type PunctualClient, PunctualNetworkError } from '../client/client.ts';
import { type CliEnvironment, UsageError } from './command.ts';
import { dataFolder } from './data-folder.ts';

export const DEFAULT_URL = 'http://127.0.0.1:3000';
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export interface ConnectionValues {
  readonly url?: string;
  readonly token?: string;
}

export async function connect(
  values: ConnectionValues,
  env: CliEnvironment['env'],
  operator: boolean,
): Promise<PunctualClient> {
  const baseUrl = urlOf(values.url ?? (env.PUNCTUAL_URL || DEFAULT_URL));
  // Fewer retries than the default of the client, because a person waits.
  const options = { baseUrl, retry: { maxAttempts: 3, maxRetryAfterMs: 5000 } };
  const token = values.token ?? (env.PUNCTUAL_TOKEN || undefined);
  if (token !== undefined) return createClient({ ...options, token });
  return createClient({ ...options, fetch: await fetchWithOwnToken(baseUrl, env, operator) });
}

function urlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError(
      `the server must be an http or https URL such as ${DEFAULT_URL}, got ${JSON.stringify(text)}`,
    );
  }
  return text;
}

/** A fetch with a token that this command makes. Only the server of the data folder, on this machine, gets it. */
async function fetchWithOwnToken(
  baseUrl: string,
  env: CliEnvironment['env'],
  operator: boolean,
): Promise<typeof fetch> {
  const server = new URL(baseUrl);
  if (!LOOPBACK.has(server.hostname))
    throw new UsageError(`${baseUrl} is not on this machine: give --token or PUNCTUAL_TOKEN`);
  const folder = dataFolder({ env });
  const { groupsOf, knownTokenKey } = await import('../local/tokens.ts');
  const key = knownTokenKey(folder);
  if (!key) {
    throw new UsageError(
      `there is no token, and no data folder ${folder} with a key to make one: start a local server (punctual start), set PUNCTUAL_DATA to its data folder, or give --token`,
    );
  }
  const { fetchOfOwnServer } = await import('../local/own-server.ts');
  const { NotProven } = await import('../local/server-proof.ts');
  try {
    return await fetchOfOwnServer(server, key, 'me', groupsOf(operator, env));
  } catch (error) {
    if (error instanceof NotProven) throw new UsageError(await notProvenText(baseUrl, folder));
    // the error of a name with several addresses has no message
    const { message = '', code = '' } = Object(error) as { message?: string; code?: string };
    const reason = message || code || String(error);
    throw new PunctualNetworkError(`no response from ${baseUrl}: ${reason}`, 1, error);
  }
}

async function notProvenText(baseUrl: string, folder: string): Promise<string> {
  const { apiUrls } = await import('../local/scheduler-ports.ts');
  const others = apiUrls(folder).filter((url) => url !== baseUrl);
  const known = others.length > 0 ? `, which listens on ${others.join(' and ')}` : '';
  return `the program at ${baseUrl} is not the server of the data folder ${folder}${known}, so it gets no token: give the --url of that server, set PUNCTUAL_DATA, or give --token`;
}
