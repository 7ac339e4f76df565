// The Lambda of the console. Its files are in a folder beside the bundle. It has no rights, and calls nothing.
import { z } from 'zod';
import type { ApiHandler } from '../api/http/http-event.ts';
import { type Environment, httpUrl, readConfig } from '../runtime/config.ts';
import { VERSION } from '../runtime/version.ts';
import type { ConsoleConfig } from './console-config.ts';
import { loadConsoleFiles } from './console-files.ts';
import { createConsole } from './handler.ts';
import { logsUrl } from './logs-url.ts';

export const consoleVariables = z.object({
  PUNCTUAL_CONSOLE_ISSUER: httpUrl,
  PUNCTUAL_CONSOLE_CLIENT_ID: z.string(),
  /** The page of the issuer that ends a session. */
  PUNCTUAL_CONSOLE_LOGOUT_URL: httpUrl.optional(),
  /** The log group of the workers. */
  PUNCTUAL_CONSOLE_LOG_GROUP: z.string().optional(),
  PUNCTUAL_OPERATORS_GROUP: z.string(),
  /** `off`: the deployment has no page `/docs`. */
  PUNCTUAL_CONSOLE_DOCS: z.literal(['on', 'off']).default('on'),
  /** Set by Lambda. */
  AWS_REGION: z.string(),
});

export function createConsoleHandler(folder: string, env: Environment): ApiHandler {
  const given = readConfig(consoleVariables, env);
  const { PUNCTUAL_CONSOLE_ISSUER: issuer, PUNCTUAL_CONSOLE_LOGOUT_URL: logoutUrl } = given;
  const { PUNCTUAL_CONSOLE_LOG_GROUP: logGroup, AWS_REGION: region } = given;
  const config: ConsoleConfig = {
    auth: { kind: 'oidc', issuer, clientId: given.PUNCTUAL_CONSOLE_CLIENT_ID, logoutUrl },
    operatorsGroup: given.PUNCTUAL_OPERATORS_GROUP,
    version: VERSION,
    region,
    ...(given.PUNCTUAL_CONSOLE_DOCS === 'off' && { docs: false }),
    ...(logGroup !== undefined && { logsUrl: logsUrl(region, logGroup) }),
  };
  const files = loadConsoleFiles(folder);
  // The first request reports the error.
  files.catch(() => {});
  return createConsole({
    config,
    connectTo: originsOf(issuer, logoutUrl),
    state: async () => ({ kind: 'ready', files: await files }),
  });
}

/** Cognito's metadata are at the issuer, and its tokens at the domain of the login and logout pages. */
const originsOf = (...urls: readonly (string | undefined)[]): string[] => [
  ...new Set(urls.filter((url) => url !== undefined).map((url) => new URL(url).origin)),
];
