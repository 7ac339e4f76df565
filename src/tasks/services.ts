// The services that the built-in tasks use. Tests pass their own. Clients are created at their first use, so a worker that
// never sends an e-mail never loads SES.
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { ECSClient } from '@aws-sdk/client-ecs';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Recipients } from './aws/recipients.ts';
import type { Targets } from './aws/targets.ts';
import type { HttpServices } from './http/http.ts';
import type { ScriptRunner } from './script/script-runner.ts';

export interface AwsClients {
  lambda(): Promise<LambdaClient>;
  sqs(): Promise<SQSClient>;
  sns(): Promise<SNSClient>;
  eventbridge(): Promise<EventBridgeClient>;
  ses(): Promise<SESv2Client>;
  ecs(): Promise<ECSClient>;
  s3(): Promise<S3Client>;
  logs(): Promise<CloudWatchLogsClient>;
  secretsManager(): Promise<SecretsManagerClient>;
  ssm(): Promise<SSMClient>;
}

/** The cluster and network of containers. They are configuration, and a job cannot choose them. */
export interface ContainerNetwork {
  readonly cluster: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly assignPublicIp: boolean;
}

export interface TaskServices {
  readonly aws: AwsClients;
  /** The functions, queues, topics and other targets that the jobs of each user may use. */
  readonly targets: Targets;
  /** The addresses that e-mails may go to. */
  readonly recipients: Recipients;
  http(): HttpServices;
  scripts(): ScriptRunner;
  containers(): ContainerNetwork;
}
