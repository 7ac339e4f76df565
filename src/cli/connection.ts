// Which server, and as whom: flags, then the environment, then a local server and a token made with its key.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createClient, type PunctualClient } from '../client/client.ts';
import { type Surroundings, UsageError } from './command.ts';

export const DEFAULT_URL = 'http://127.0.0.1:3000';
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export interface ConnectionValues {
  readonly url?: string;
  readonly token?: string;
}

export async function connect(
  values: ConnectionValues,
  env: Surroundings['env'],
  operator: boolean,
): Promise<PunctualClient> {
  const baseUrl = urlOf(values.url ?? (env.PUNCTUAL_URL || DEFAULT_URL));
  const token = values.token ?? (env.PUNCTUAL_TOKEN || (await ownToken(baseUrl, env, operator)));
  // a person waits: a server that is not there, or wants to be left alone, is told soon
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

/** The same as `npm start` prints. The key is only used where the server is that has it. */
async function ownToken(baseUrl: string, env: Surroundings['env'], operator: boolean): Promise<string> {
  if (!LOOPBACK.has(new URL(baseUrl).hostname)) {
    throw new UsageError(`${baseUrl} is not on this machine: give --token or PUNCTUAL_TOKEN`);
  }
  const folder = resolve(env.PUNCTUAL_DATA || '.punctual');
  if (!existsSync(folder)) {
    throw new UsageError(
      `there is no token and no data folder ${folder} to make one with: start a server here (punctual start), set PUNCTUAL_DATA to the server's folder, or give --token`,
    );
  }
  const { localToken } = await import('../local/tokens.ts');
  return localToken(folder, 'me', operator, env);
}
