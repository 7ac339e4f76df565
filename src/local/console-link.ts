// Links to the console of a local server. The token is in the fragment, which browsers do not send to the server.
import { type Environment, readConfig } from '../runtime/config.ts';
import { localVariables } from './config.ts';
import { apiPorts } from './scheduler-ports.ts';
import { StartError } from './start-error.ts';
import { LINK_LIFETIME, localToken } from './tokens.ts';

/** A link for the server with this data folder. If it does not run, the port is PUNCTUAL_PORT. */
export async function localConsoleLink(
  dataFolder: string,
  user: string,
  operator: boolean,
  env: Environment,
): Promise<string> {
  const url = `http://127.0.0.1:${portOf(dataFolder, env)}`;
  return consoleLink(url, await localToken(dataFolder, user, operator, env, LINK_LIFETIME));
}

export const consoleLink = (url: string, token: string): string => `${url}/console/#token=${token}`;

function portOf(dataFolder: string, env: Environment): number {
  const [running] = apiPorts(dataFolder);
  const port = running ?? readConfig(localVariables.pick({ PUNCTUAL_PORT: true }), env).PUNCTUAL_PORT;
  if (port === 0)
    throw new StartError(
      `no server runs with the data folder ${dataFolder}, and PUNCTUAL_PORT is 0, so the port of the link is unknown. Start the server first`,
    );
  return port;
}
