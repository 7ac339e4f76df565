// `GET /console/config.json`: what the page must know before a user has signed in. It has no secrets, because everybody may
// read it.

export interface ConsoleConfig {
  readonly auth: LocalAuth | OidcAuth;
  /** The version of Punctual. */
  readonly version: string;
  /** The group of operators in tokens. The page uses it for its menu only, because the API decides. */
  readonly operatorsGroup: string;
  /** Whether there is a page `/docs`. Absent if there is one. */
  readonly docs?: boolean;
  /** The AWS region. Absent in local mode. */
  readonly region?: string;
  /** The address of the workers' logs in CloudWatch. `{executionId}` stands for the id of an execution. */
  readonly logsUrl?: string;
}

/** The token is in the fragment of the link that `npm start` prints. */
export interface LocalAuth {
  readonly kind: 'local';
}

/** The page gets tokens from an OIDC issuer, by authorization code and PKCE. */
export interface OidcAuth {
  readonly kind: 'oidc';
  readonly issuer: string;
  readonly clientId: string;
  /** The page that ends the session at the issuer. Absent if the issuer's discovery document names it. */
  readonly logoutUrl?: string;
}
