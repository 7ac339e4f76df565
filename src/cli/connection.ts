// The server and the token: from flags, then from the environment, then a local server and a token made with its key.
import { existsSync } from 'node:fs';
import { createClient, type PunctualClient } from '../client/client.ts';
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
  const token = values.token ?? (env.PUNCTUAL_TOKEN || (await makeLocalToken(baseUrl, env, operator)));
  // Fewer retries than the default of the client, because a person waits.
  return createClient({ baseUrl, token, retry: { maxAttempts: 3, maxRetryAfterMs: 5000 } });
}

function urlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError(
      `the server must be an http or https URL such as ${DEFAULT_URL}, got ${JSON.stringify(text)}`,
    );
  }
  return text;
}

/** The same token as `npm start` prints. It is never sent to another machine. */
async function makeLocalToken(
  baseUrl: string,
  env: CliEnvironment['env'],
  operator: boolean,
): Promise<string> {
  if (!LOOPBACK.has(new URL(baseUrl).hostname)) {
    throw new UsageError(`${baseUrl} is not on this machine: give --token or PUNCTUAL_TOKEN`);
  }
  const folder = dataFolder({ env });
  if (!existsSync(folder)) {
    throw new UsageError(
      `there is no token, and no data folder ${folder} to make one with: start a local server (punctual start), set PUNCTUAL_DATA to its data folder, or give --token`,
    );
  }
  const { localToken } = await import('../local/tokens.ts');
  return localToken(folder, 'me', operator, env);
}
