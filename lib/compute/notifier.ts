// The notifier: a Lambda that consumes the notify queue and delivers notifications.
import { Duration, Stack } from 'aws-cdk-lib';
import { type IGrantable, type IPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { NOTIFY_QUEUE } from '../../src/queue/sqs/queue-attributes.ts';
import { grantKeyUse, grantSend } from '../access/queue-permissions.ts';
import type { Queues } from '../data/queues.ts';
import type { Storage } from '../data/storage.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import type { Environment } from './environment.ts';
import { createFunction } from './function.ts';

export interface NotifierProps {
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  /**
   * The key that encrypts tables and queues.
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /** The environment variables of all runtimes, among them those of src/notifier/config.ts. */
  readonly environment: Environment;
}

/** AWS recommends a visibility timeout of six times the function's timeout. */
const VISIBILITY_PER_TIMEOUT = 6;

export class Notifier extends Construct implements IGrantable {
  readonly lambda: Lambda;
  /** For grants on the targets of notifications: SNS topics, event buses, SES identities. */
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: NotifierProps) {
    super(scope, id);
    const { settings, storage, queues, encryptionKey, environment } = props;
    this.lambda = createFunction(this, 'Function', {
      entry: 'notifier',
      description: 'delivers notifications',
      settings,
      storage,
      encryptionKey,
      timeout: Duration.seconds(NOTIFY_QUEUE.visibilitySeconds / VISIBILITY_PER_TIMEOUT),
      environment: {
        ...environment,
        PUNCTUAL_NOTIFY_DEAD_LETTER_URL: queues.notifyDeadLetters.queueUrl,
      },
    });
    this.grantPrincipal = this.lambda.grantPrincipal;
    // Summaries and deliveries are messages of the same queue.
    grantSend(this.lambda, [queues.notify, queues.notifyDeadLetters]);
    grantKeyUse(this.lambda, encryptionKey);
    if (settings.eventBus !== undefined) {
      const bus = { service: 'events', resource: 'event-bus', resourceName: settings.eventBus };
      this.lambda.addToRolePolicy(
        new PolicyStatement({ actions: ['events:PutEvents'], resources: [Stack.of(this).formatArn(bus)] }),
      );
    }
    this.lambda.addEventSource(
      new SqsEventSource(queues.notify, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 10 }),
    );
  }
}
