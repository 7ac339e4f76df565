// Permissions on the queues and on the encryption key. Each grant has only the actions that the runtimes use.
import { Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

const allow = (grantee: IGrantable, actions: readonly string[], queues: readonly IQueue[]): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: actions.map((action) => `sqs:${action}`),
      resources: queues.map(({ queueArn }) => queueArn),
    }),
  );
};

/** `sqs:SendMessage` covers batches too. */
export function grantSend(grantee: IGrantable, queues: readonly IQueue[]): void {
  allow(grantee, ['SendMessage'], queues);
}

export function grantConsume(grantee: IGrantable, queues: readonly IQueue[]): void {
  allow(grantee, ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'], queues);
}

/**
 * Allows the use of tables and queues that the key encrypts. CDK's own grants have wildcards such as
 * `kms:GenerateDataKey*`.
 */
export function grantKeyUse(grantee: IGrantable, key: IKey | undefined): void {
  if (!key) return;
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
      resources: [key.keyArn],
    }),
  );
}

/**
 * Key policy statements for log groups and the alarm topic. CloudWatch uses the key as a service, so permissions of roles
 * do not cover it. The policy of an imported key cannot be changed here, and docs/deploy.md has the statements for it.
 */
export function allowLogsAndAlarms(key: IKey | undefined, scope: Construct): void {
  if (!key) return;
  const { region, partition, account } = Stack.of(scope);
  const resources = ['*']; // In a key policy, "*" means this key.
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      actions: ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
      resources,
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*`,
        },
      },
    }),
  );
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources,
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
}
