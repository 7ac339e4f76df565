// Who may do what with the queues and with the key that encrypts them: by the actions that are used, and no others.
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

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
