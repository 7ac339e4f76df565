// The watcher: a Lambda that EventBridge invokes every minute, once for each range of shards.
import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type ShardRange, shardRanges } from '../../src/watcher/shard-ranges.ts';
import { grantKeyUse, grantSend } from '../access/queue-permissions.ts';
import type { Queues } from '../data/queues.ts';
import type { Storage } from '../data/storage.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import type { Environment } from './environment.ts';
import { createFunction } from './function.ts';

export interface WatcherProps {
  /** Uses `shards`, `watchers` and `watcherReservedConcurrency`. */
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  /**
   * The key that encrypts tables and queues.
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /** The environment variables of all runtimes. */
  readonly environment: Environment;
}

/** A pass takes about one second. After an outage it takes longer, and the next pass continues where it stopped. */
const TIMEOUT = Duration.minutes(2);
/** EventBridge's maximum number of targets per rule. */
const TARGETS_PER_RULE = 5;

export class Watcher extends Construct {
  readonly lambda: Lambda;
  readonly ranges: readonly ShardRange[];

  constructor(scope: Construct, id: string, props: WatcherProps) {
    super(scope, id);
    const { settings, storage, queues, encryptionKey, environment } = props;
    const reserved = settings.watcherReservedConcurrency ?? 2 * settings.watchers;
    this.lambda = createFunction(this, 'Function', {
      entry: 'watcher',
      description: 'dispatches and settles executions',
      settings,
      storage,
      encryptionKey,
      timeout: TIMEOUT,
      environment,
      reservedConcurrency: reserved === 0 ? undefined : reserved,
    });
    grantSend(this.lambda, [...queues.work, queues.notify, queues.failedPasses]);
    grantKeyUse(this.lambda, encryptionKey);
    this.lambda.configureAsyncInvoke({
      // The pass of the next minute continues where this one stopped. A retry would overlap with it.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      // The permission is granted above. CDK's own grant would add `kms:GenerateDataKey*`.
      onFailure: { bind: () => ({ destination: queues.failedPasses.queueArn }) },
    });

    this.ranges = shardRanges(settings.shards, settings.watchers);
    for (let first = 0; first < this.ranges.length; first += TARGETS_PER_RULE) {
      new Rule(this, `EveryMinute${first / TARGETS_PER_RULE}`, {
        description: `Punctual ${settings.stage}: invokes the watcher every minute`,
        schedule: Schedule.rate(Duration.minutes(1)),
        targets: this.ranges.slice(first, first + TARGETS_PER_RULE).map(
          (range) =>
            new LambdaFunction(this.lambda, {
              event: RuleTargetInput.fromObject({ from: range.from, to: range.to }),
              retryAttempts: 0,
              maxEventAge: Duration.minutes(1),
            }),
        ),
      });
    }
  }
}
