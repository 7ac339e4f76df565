// A log group as all of ours are.
import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { DeploymentSettings } from './settings.ts';

export const createLogGroup = (
  scope: Construct,
  id: string,
  { logRetentionDays, removalPolicy }: DeploymentSettings,
): LogGroup =>
  new LogGroup(scope, id, {
    // the values of the enumeration are the days
    retention: logRetentionDays as RetentionDays,
    removalPolicy: removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
