// The canary: a Lambda that EventBridge invokes every minute. It is a client of the public URL and a user of its own.
import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Api } from '../compute/api.ts';
import { type Environment, prefixOf } from '../compute/environment.ts';
import { createFunction } from '../compute/function.ts';
import type { Storage } from '../data/storage.ts';
import { CANARY } from '../settings/contradictions.ts';
import type { DeploymentSettings } from '../settings/settings.ts';

export interface CanaryProps {
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  /**
   * The key that encrypts the log group.
   * @default - a key that AWS owns
   */
  readonly encryptionKey?: IKey;
  readonly api: Api;
}

/** The next pass begins after a minute. */
const TIMEOUT = Duration.seconds(55);

export class Canary extends Construct {
  readonly lambda: Lambda;

  constructor(scope: Construct, id: string, props: CanaryProps) {
    super(scope, id);
    const { settings, storage, encryptionKey, api } = props;
    this.lambda = createFunction(this, 'Function', {
      entry: 'canary',
      description: 'creates a job every minute, and checks that it runs',
      settings,
      storage,
      encryptionKey,
      timeout: TIMEOUT,
      environment: {
        PUNCTUAL_PREFIX: prefixOf(settings),
        PUNCTUAL_AUTHORIZATION: settings.authorization,
        PUNCTUAL_CANARY_URL: api.url,
        ...this.#clientVariables(api),
      },
    });
    this.#allowCalls(api);
    // The pass of the next minute replaces a retry.
    this.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'EveryMinute', {
      description: `Punctual ${settings.stage}: invokes the canary every minute`,
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(this.lambda, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }

  /** Empty with signed requests. The secret of the client is no variable: the function reads it from Cognito. */
  #clientVariables({ identity }: Api): Environment {
    const client = identity.services.get(CANARY);
    if (!identity.userPool || !client) return {};
    const { region, urlSuffix } = Stack.of(this);
    return {
      PUNCTUAL_CANARY_TOKEN_URL: identity.tokenUrl(),
      PUNCTUAL_CANARY_COGNITO_URL: `https://cognito-idp.${region}.${urlSuffix}/`,
      PUNCTUAL_CANARY_USER_POOL_ID: identity.userPool.userPoolId,
      PUNCTUAL_CANARY_CLIENT_ID: client.userPoolClientId,
    };
  }

  #allowCalls(api: Api): void {
    const { userPool } = api.identity;
    if (userPool) {
      this.lambda.addToRolePolicy(
        new PolicyStatement({
          actions: ['cognito-idp:DescribeUserPoolClient'],
          resources: [userPool.userPoolArn],
        }),
      );
    } else {
      api.grantInvoke(this.lambda, [
        { method: 'POST', path: '/jobs' },
        { method: 'GET', path: '/executions' },
      ]);
    }
  }
}
