// `/console/config.json`: how users log in, and what the console shows of the deployment.
export type AuthConfig =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'oidc';
      readonly issuer: string;
      readonly clientId: string;
      /** The page that ends the session at the issuer. Cognito has no end-session endpoint in its metadata. */
      readonly logoutUrl?: string;
    };

export interface ConsoleConfig {
  readonly auth: AuthConfig;
  readonly version: string;
  readonly region?: string;
  /** The address of the logs of one execution, with `{executionId}`. */
  readonly logsUrl?: string;
  /** The group of operators in the token. The console uses it for its menu only. */
  readonly operatorsGroup?: string;
  /** Whether there is a page `/docs`. Absent if there is one. */
  readonly docs?: boolean;
}

export const DEFAULT_OPERATORS_GROUP = 'punctual-operators';

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/console/config.json', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET /console/config.json answered ${response.status}`);
  return (await response.json()) as ConsoleConfig;
}
