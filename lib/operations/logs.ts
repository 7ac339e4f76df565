// Creates log groups. All have the same retention, removal policy and encryption.
import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { DeploymentSettings } from '../settings/settings.ts';

export interface LogGroupOptions {
  readonly settings: DeploymentSettings;
  /**
   * The key that encrypts the log group.
   * @default - a key that CloudWatch Logs owns
   */
  readonly encryptionKey?: IKey;
  /**
   * @default - a name that CloudFormation generates
   */
  readonly logGroupName?: string;
}

export const createLogGroup = (
  scope: Construct,
  id: string,
  { settings: { logRetentionDays, removalPolicy }, encryptionKey, logGroupName }: LogGroupOptions,
): LogGroup =>
  new LogGroup(scope, id, {
    logGroupName,
    encryptionKey,
    // The values of the enumeration are the numbers of days.
    retention: logRetentionDays as RetentionDays,
    removalPolicy: removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
