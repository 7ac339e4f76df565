// The OIDC issuer of accepted tokens: one of your own, or a Cognito user pool that is created here.
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccountRecovery, CfnUserPoolGroup, FeaturePlan, Mfa, UserPool } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { DeploymentSettings } from '../settings/settings.ts';

export interface IdentityProps {
  /** Uses `issuer`, `audience` and `operatorsGroup` (docs/security.md). */
  readonly settings: DeploymentSettings;
}

export class Identity extends Construct {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** Undefined if `issuer` is set. */
  readonly userPool?: UserPool;

  constructor(scope: Construct, id: string, { settings }: IdentityProps) {
    super(scope, id);
    const { issuer, audience, operatorsGroup, stage, removalPolicy } = settings;
    if (issuer !== undefined && audience !== undefined) {
      this.issuer = issuer;
      this.audience = audience;
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
    this.audience = [client.userPoolClientId];
  }
}
