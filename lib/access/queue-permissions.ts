// Who may do what with the queues and with the key that encrypts them: by the actions that are used, and no others.
import { Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

const allow = (who: IGrantable, actions: readonly string[], queues: readonly IQueue[]): void => {
  who.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: actions.map((action) => `sqs:${action}`),
      resources: queues.map(({ queueArn }) => queueArn),
    }),
  );
};

/** Batches are covered by the action of the single message. */
export function maySend(who: IGrantable, queues: readonly IQueue[]): void {
  allow(who, ['SendMessage'], queues);
}

export function mayConsume(who: IGrantable, queues: readonly IQueue[]): void {
  allow(who, ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'], queues);
}

/** For tables and queues that are encrypted with it; CDK's own grants would allow `kms:GenerateDataKey*` and the like. */
export function mayUseKey(who: IGrantable, key: IKey | undefined): void {
  if (!key) return;
  who.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
      resources: [key.keyArn],
    }),
  );
}

/**
 * Key policy statements for log groups and the alarm topic. CloudWatch uses the key as a service, so the rights of roles
 * do not cover it. The policy of an imported key cannot be changed here: docs/deploy.md has the statements for it.
 */
export function letLogsAndAlarmsUse(key: IKey | undefined, scope: Construct): void {
  if (!key) return;
  const { region, partition, account } = Stack.of(scope);
  const resources = ['*']; // in a key policy: this key
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
