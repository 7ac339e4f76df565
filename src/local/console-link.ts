// Links to the console of a local server. The token is in the fragment, which browsers do not send to the server. It is for one
// start of the server: a page of another program that listens on the port later gets a token that no server accepts.
import type { Environment } from '../runtime/config.ts';
import { apiUrls } from './scheduler-ports.ts';
import { proveServer, type ServerIdentity } from './server-proof.ts';
import { StartError } from './start-error.ts';
import { groupsOf, LINK_LIFETIME, signToken, tokenKey } from './tokens.ts';

/** A link for the running server with this data folder. Throws StartError if none runs. */
export async function localConsoleLink(
  dataFolder: string,
  user: string,
  operator: boolean,
  env: Environment,
): Promise<string> {
  const key = await tokenKey(dataFolder);
  for (const url of apiUrls(dataFolder)) {
    // the file of a killed server may have the id of another process, and the port another listener
    const server = await proveServer(new URL(url), key).catch(() => undefined);
    if (server) return consoleLink({ key, start: server.start }, url, user, groupsOf(operator, env));
  }
  throw new StartError(`no server runs with the data folder ${dataFolder}. Start it first: punctual start`);
}

export async function consoleLink(
  { key, start }: ServerIdentity,
  url: string,
  user: string,
  groups: readonly string[],
): Promise<string> {
  const token = await signToken(key, user, groups, { lifetime: LINK_LIFETIME, start });
  return `${url}/console/#token=${token}`;
}
