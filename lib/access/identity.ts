// The OIDC issuer of accepted tokens: one of your own, or a Cognito user pool that is created here. The pool has a client for people,
// one for each service, and one for the console. There is no issuer if requests are signed.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnUserPoolGroup,
  FeaturePlan,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
  type UserPoolDomain,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { stackSuffix } from '../compute/environment.ts';
import { CANARY } from '../settings/contradictions.ts';
import type { DeploymentSettings } from '../settings/settings.ts';

export interface IdentityProps {
  /** Uses `issuer`, `audience`, `consoleClientId`, `operatorsGroup`, `serviceClients` and `canary` (docs/security.md). */
  readonly settings: DeploymentSettings;
}

/**
 * The scope `punctual/jobs` of services. Cognito gives a client no token without a scope. The API does not ask for it,
 * because tokens of people do not have it.
 */
const RESOURCE_SERVER = 'punctual';
const SCOPE = { scopeName: 'jobs', scopeDescription: 'Create and manage jobs' };

/** The settings with which the console signs users in. */
export interface ConsoleClient {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined with an issuer of your own. */
  readonly logoutUrl?: string;
}

export class Identity extends Construct {
  /** Undefined with `authorization: iam`. */
  readonly issuer?: string;
  /** Undefined if `issuer` is set, and with `authorization: iam`. */
  readonly userPool?: UserPool;
  /** The clients of `serviceClients` and of the canary, by name. */
  readonly services: ReadonlyMap<string, UserPoolClient> = new Map();
  readonly #stage: string;
  readonly #consoleClientId?: string;
  #audience: readonly string[] = [];
  #domain?: UserPoolDomain;

  constructor(scope: Construct, id: string, { settings }: IdentityProps) {
    super(scope, id);
    const { issuer, audience, operatorsGroup, serviceClients = [], canary, stage, removalPolicy } = settings;
    this.#stage = stage;
    this.#consoleClientId = settings.consoleClientId;
    if (settings.authorization === 'iam') return;
    if (issuer !== undefined && audience !== undefined) {
      this.issuer = issuer;
      this.#audience = audience;
      return;
    }
    const retain = removalPolicy === 'retain';
    this.userPool = new UserPool(this, 'Users', {
      userPoolName: `punctual-${stage}`,
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      autoVerify: { email: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(3),
      },
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: retain,
      removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    new CfnUserPoolGroup(this, 'Operators', {
      userPoolId: this.userPool.userPoolId,
      groupName: operatorsGroup,
      description: 'Operators: may see and change the jobs of all users',
    });
    const client = this.userPool.addClient('Client', {
      // adminUserPassword lets callers of Cognito's admin API get a token without a login page.
      authFlows: { userSrp: true, adminUserPassword: true },
      disableOAuth: true,
      generateSecret: false,
      preventUserExistenceErrors: true,
      accessTokenValidity: Duration.hours(1),
      idTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.days(30),
      enableTokenRevocation: true,
    });
    const { region, urlSuffix } = Stack.of(this);
    this.issuer = `https://cognito-idp.${region}.${urlSuffix}/${this.userPool.userPoolId}`;
    this.services = this.#createServices(
      this.userPool,
      canary ? [...serviceClients, CANARY] : serviceClients,
    );
    const clients = [client, ...this.services.values()];
    this.#audience = clients.map(({ userPoolClientId }) => userPoolClientId);
  }

  /** The accepted audiences of tokens. Complete after `addConsole`, if there is a console. */
  get audience(): readonly string[] {
    return this.#audience;
  }

  /**
   * The client of the console. In the stack's user pool it is created here: for people, without a secret, and only for logins
   * that come back to `url`. An issuer of your own has it already, and `audience` must accept its tokens.
   */
  addConsole(url: string): ConsoleClient {
    if (this.issuer === undefined) throw new Error('the console needs an issuer');
    if (!this.userPool) return { issuer: this.issuer, clientId: this.#consoleClientId ?? '' };
    const { userPoolClientId: clientId } = this.userPool.addClient('Console', {
      userPoolClientName: `punctual-${this.#stage}-console`,
      generateSecret: false,
      // Logins are on the page of the user pool only.
      authFlows: { userSrp: false },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID],
        callbackUrls: [url],
        logoutUrls: [url],
      },
      preventUserExistenceErrors: true,
      accessTokenValidity: Duration.hours(1),
      idTokenValidity: Duration.hours(1),
      // A working day. The token is in the storage of a browser's tab.
      refreshTokenValidity: Duration.hours(12),
      enableTokenRevocation: true,
    });
    this.#audience = [...this.#audience, clientId];
    const logoutUrl = `${this.domain().baseUrl()}/logout?client_id=${clientId}&logout_uri=${url}`;
    return { issuer: this.issuer, clientId, logoutUrl };
  }

  /** The pool's domain, for tokens of services and for the login page. A pool has one of this kind, so all clients share it. */
  domain(): UserPoolDomain {
    if (!this.userPool) throw new Error('the stack has no user pool');
    this.#domain ??= this.userPool.addDomain('Domain', {
      // Names are unique in a region, over all accounts.
      cognitoDomain: { domainPrefix: `punctual-${this.#stage}-${stackSuffix(this)}` },
    });
    return this.#domain;
  }

  /** The URL at which services get their tokens, by client credentials. */
  tokenUrl(): string {
    return `${this.domain().baseUrl()}/oauth2/token`;
  }

  #createServices(userPool: UserPool, names: readonly string[]): ReadonlyMap<string, UserPoolClient> {
    if (names.length === 0) return new Map();
    this.domain();
    const server = userPool.addResourceServer('Api', { identifier: RESOURCE_SERVER, scopes: [SCOPE] });
    const create = (name: string) =>
      userPool.addClient(`Service-${name}`, {
        userPoolClientName: `punctual-${this.#stage}-${name}`,
        generateSecret: true,
        // People cannot sign in with this client. Without the setting, Cognito would allow SRP.
        authFlows: { userSrp: false },
        oAuth: { flows: { clientCredentials: true }, scopes: [OAuthScope.resourceServer(server, SCOPE)] },
        accessTokenValidity: Duration.hours(1),
        preventUserExistenceErrors: true,
        enableTokenRevocation: true,
      });
    return new Map(names.map((name) => [name, create(name)]));
  }
}
