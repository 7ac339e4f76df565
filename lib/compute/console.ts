// The console: a Lambda that serves its files, and the client that its users sign in with. Its routes are in api.ts.
import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Identity } from '../access/identity.ts';
import type { Storage } from '../data/storage.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import { createFunction } from './function.ts';

export interface ConsoleProps {
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  /**
   * The key that encrypts the log group.
   * @default - a key that AWS owns
   */
  readonly encryptionKey?: IKey;
  readonly identity: Identity;
  /** The base URL of the API, which is also that of the console. */
  readonly baseUrl: string;
}

/**
 * The routes of the console. API Gateway has no route that ends with `/`. If the last one does not get `/console/`, the route for
 * unknown paths leads to `/console` (src/api/http/console-redirect.ts).
 */
export const CONSOLE_ROUTES = ['/', '/console', '/console/{proxy+}'];
/** The key of the route with the files. */
export const CONSOLE_FILES = 'GET /console/{proxy+}';

/** The files of a page arrive at the same time, and may meet containers that are cold. */
const CONCURRENCY = 50;

export class Console extends Construct {
  readonly lambda: Lambda;
  readonly url: string;

  constructor(scope: Construct, id: string, props: ConsoleProps) {
    super(scope, id);
    const { settings, storage, encryptionKey, identity, baseUrl } = props;
    this.url = `${baseUrl}/console/`;
    const { issuer, clientId, logoutUrl } = identity.addConsole(this.url);
    this.lambda = createFunction(this, 'Function', {
      entry: 'console',
      description: 'serves the web console',
      settings,
      storage,
      encryptionKey,
      timeout: Duration.seconds(10),
      reservedConcurrency: settings.apiReservedConcurrency === 0 ? undefined : CONCURRENCY,
      environment: {
        PUNCTUAL_CONSOLE_ISSUER: issuer,
        PUNCTUAL_CONSOLE_CLIENT_ID: clientId,
        ...(logoutUrl !== undefined && { PUNCTUAL_CONSOLE_LOGOUT_URL: logoutUrl }),
        PUNCTUAL_OPERATORS_GROUP: settings.operatorsGroup,
        ...(!settings.docs && { PUNCTUAL_CONSOLE_DOCS: 'off' }),
      },
    });
  }
}
