// The watcher: EventBridge calls it every minute, once for each range of shards, and says which.
import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type ShardRange, shardRanges } from '../../src/watcher/shard-ranges.ts';
import { maySend, mayUseKey } from '../access/queue-permissions.ts';
import type { Queues } from '../data/queues.ts';
import type { Storage } from '../data/storage.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import type { Environment } from './environment.ts';
import { createFunction } from './function.ts';

export interface WatcherProps {
  /** Shards, watchers and the horizon. */
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  /**
   * Encrypts tables and queues.
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /** What all runtimes are told. */
  readonly environment: Environment;
}

/** A pass takes a second; after an outage it has more to do, and goes on in the next one. */
const TIMEOUT = Duration.minutes(2);
/** EventBridge takes no more per rule. */
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
      description: 'sends what will be due, settles what was',
      settings,
      storage,
      encryptionKey,
      timeout: TIMEOUT,
      environment,
      reservedConcurrency: reserved === 0 ? undefined : reserved,
    });
    maySend(this.lambda, [...queues.work, queues.notify, queues.failedPasses]);
    mayUseKey(this.lambda, encryptionKey);
    this.lambda.configureAsyncInvoke({
      // the next minute's pass goes on where this one stopped; a retry would only come between
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      // the rights are given above, without CDK's `kms:GenerateDataKey*`
      onFailure: { bind: () => ({ destination: queues.failedPasses.queueArn }) },
    });

    this.ranges = shardRanges(settings.shards, settings.watchers);
    for (let first = 0; first < this.ranges.length; first += TARGETS_PER_RULE) {
      new Rule(this, `EveryMinute${first / TARGETS_PER_RULE}`, {
        description: `Punctual ${settings.stage}: the watcher's passes`,
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
