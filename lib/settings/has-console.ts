import type { DeploymentSettings } from './settings.ts';

/**
 * Whether the deployment has the console. By default it has one if users can sign in there: with the stack's user pool, or with
 * an issuer that knows the console. Browsers have no AWS credentials, so there is none with `authorization: iam`.
 */
export const hasConsole = ({
  console,
  authorization,
  issuer,
  consoleClientId,
}: DeploymentSettings): boolean =>
  console ?? (authorization === 'jwt' && (issuer === undefined || consoleClientId !== undefined));
