// The alarms. Every description says what is wrong and links to its section of the runbook.
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { TABLES } from '../../src/store/dynamodb/table-schemas.ts';
import { MAX_QUEUES, maxAgeOnTimeSeconds } from '../compute/scaling.ts';
import type { Queues } from '../data/queues.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import { ownMetric } from './metrics.ts';
import type { MonitoringProps } from './monitoring.ts';

export interface AlarmSpec {
  /** The section of the runbook. */
  readonly section: string;
  readonly description: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** The minutes that are evaluated. */
  readonly minutes: number;
  /** The breaching minutes among them that raise the alarm. @default all */
  readonly breachingMinutes?: number;
  /** True if values below the threshold are breaching. */
  readonly below?: true;
  /** @default not breaching */
  readonly missing?: TreatMissingData;
}

const MINUTE = Duration.minutes(1);

export function alarmSpecs({
  settings,
  storage,
  queues,
  api,
  watcher,
  notifier,
}: MonitoringProps): Record<string, AlarmSpec> {
  const visible = (queue: Queues['deadLetters']) =>
    queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' });
  const failed = ownMetric(settings, 'Failed', 'Sum');
  const succeeded = ownMetric(settings, 'Succeeded', 'Sum');
  const lambdas = [...Object.values(api.functions), watcher.lambda, notifier.lambda];
  return {
    Late: {
      section: 'late',
      description: 'The p99 of the start delay of executions is above 2 s.',
      metric: ownMetric(settings, 'Lateness', 'p99'),
      threshold: 2000,
      minutes: 5,
      breachingMinutes: 3,
    },
    DispatchLag: {
      section: 'dispatch-lag',
      description: 'The watcher is more than 30 s behind the look-ahead, or does not run.',
      metric: ownMetric(settings, 'DispatchLag', 'Maximum'),
      threshold: 30,
      minutes: 3,
      missing: TreatMissingData.BREACHING,
    },
    NoWorkers: {
      section: 'no-workers',
      description: 'No worker has published metrics for 3 minutes.',
      metric: ownMetric(settings, 'Workers', 'Sum'),
      threshold: 1,
      minutes: 3,
      below: true,
      missing: TreatMissingData.BREACHING,
    },
    WrongClock: {
      section: 'wrong-clock',
      description: 'The clock of a machine is wrong by more than 1 s. A worker on it accepts no work.',
      metric: ownMetric(settings, 'ClockOffset', 'Maximum'),
      threshold: DEFAULT_SETTINGS.clockSkewMs / 2,
      minutes: 1,
    },
    OldestMessage: {
      section: 'oldest-message',
      description: 'The oldest message is more than 2 minutes older than the look-ahead allows.',
      metric: new MathExpression({
        expression: 'MAX(FILL(METRICS(), 0))',
        usingMetrics: Object.fromEntries(
          queues.work
            .slice(0, MAX_QUEUES)
            .map((queue, i) => [
              `q${i}`,
              queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' }),
            ]),
        ),
        period: MINUTE,
      }),
      threshold: maxAgeOnTimeSeconds(settings) + 60,
      minutes: 3,
    },
    DeadLetters: {
      section: 'dead-letters',
      description: 'The dead-letter queue of work has a message.',
      metric: visible(queues.deadLetters),
      threshold: 0,
      minutes: 1,
    },
    IngestDeadLetters: {
      section: 'ingest-dead-letters',
      description: 'A job that was accepted with `Prefer: respond-async` could not be created.',
      metric: visible(queues.ingestDeadLetters),
      threshold: 0,
      minutes: 1,
    },
    NotifyDeadLetters: {
      section: 'notify-dead-letters',
      description: 'A notification could not be delivered after all retries.',
      metric: visible(queues.notifyDeadLetters),
      threshold: 0,
      minutes: 1,
    },
    FailedPasses: {
      section: 'failed-passes',
      description: 'A pass of the watcher failed or timed out.',
      metric: visible(queues.failedPasses),
      threshold: 0,
      minutes: 1,
    },
    FailureRate: {
      section: 'failure-rate',
      description: 'More than 10 % of executions failed after their last attempt.',
      metric: new MathExpression({
        // If all executions fail, the metric Succeeded has no data.
        expression: 'IF(FILL(f, 0) + FILL(s, 0) >= 20, 100 * FILL(f, 0) / (FILL(f, 0) + FILL(s, 0)), 0)',
        usingMetrics: { f: failed, s: succeeded },
        period: MINUTE,
      }),
      threshold: 10,
      minutes: 5,
      breachingMinutes: 3,
    },
    Corrections: {
      section: 'settle-corrections',
      description:
        'Settle resends more than 100 messages per minute, because workers are killed or messages are lost.',
      metric: ownMetric(settings, 'SettleCorrections', 'Sum'),
      threshold: 100,
      minutes: 5,
      breachingMinutes: 3,
    },
    Throttles: {
      section: 'throttles',
      description:
        'DynamoDB throttles requests, because a table or one of its partitions is over its capacity.',
      metric: throttlesOf(Object.values(storage.tables).map(({ tableName }) => ({ TableName: tableName }))),
      threshold: 10,
      minutes: 5,
      breachingMinutes: 3,
    },
    IndexThrottles: {
      section: 'index-throttles',
      description: 'An index is over its capacity, so DynamoDB throttles writes of its table.',
      metric: throttlesOf(
        TABLES.flatMap(({ name, indexes }) =>
          indexes.map((index) => ({
            TableName: storage.tables[name].tableName,
            GlobalSecondaryIndexName: index.name,
          })),
        ),
      ),
      threshold: 10,
      minutes: 5,
      breachingMinutes: 3,
    },
    ApiErrors: {
      section: 'api-errors',
      description: 'More than 1 % of API requests end with a 5xx status.',
      metric: new MathExpression({
        expression: 'IF(count >= 20, 100 * errors / count, 0)',
        usingMetrics: {
          errors: api.httpApi.metricServerError({ period: MINUTE, statistic: 'Sum' }),
          count: api.httpApi.metricCount({ period: MINUTE, statistic: 'Sum' }),
        },
        period: MINUTE,
      }),
      threshold: 1,
      minutes: 5,
      breachingMinutes: 3,
    },
    LambdaErrors: {
      section: 'lambda-errors',
      description: 'Lambda functions fail or are throttled.',
      metric: new MathExpression({
        expression: 'SUM(FILL(METRICS(), 0))',
        usingMetrics: Object.fromEntries(
          lambdas.flatMap((lambda, i) => [
            [`e${i}`, lambda.metricErrors({ period: MINUTE })],
            [`t${i}`, lambda.metricThrottles({ period: MINUTE })],
          ]),
        ),
        period: MINUTE,
      }),
      threshold: 0,
      minutes: 5,
      breachingMinutes: 3,
    },
    ...(settings.canary && canaryAlarms(settings)),
  };
}

/** The function of the canary is not among those of LambdaErrors: its failures are an absence. */
const canaryAlarms = (settings: DeploymentSettings): Record<string, AlarmSpec> => ({
  CanaryLate: {
    section: 'canary-late',
    description: 'The job of the canary starts more than 2 s late.',
    metric: ownMetric(settings, 'CanaryLateness', 'Maximum'),
    threshold: 2000,
    minutes: 5,
    breachingMinutes: 3,
  },
  CanaryAbsent: {
    section: 'canary-absent',
    description:
      'The canary cannot create a job through the public URL, its job does not run, or it does not run itself.',
    metric: ownMetric(settings, 'CanarySucceeded', 'Sum'),
    threshold: 1,
    minutes: 5,
    breachingMinutes: 4,
    below: true,
    missing: TreatMissingData.BREACHING,
  },
});

/** CloudWatch allows ten metrics per alarm, which is enough for five tables or indexes. */
function throttlesOf(dimensions: readonly Record<string, string>[]): IMetric {
  const metric = (kind: 'Read' | 'Write', dimensionsMap: Record<string, string>) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName: `${kind}ThrottleEvents`,
      dimensionsMap,
      statistic: 'Sum',
      period: MINUTE,
    });
  return new MathExpression({
    expression: dimensions.map((_, i) => `FILL(r${i}, 0) + FILL(w${i}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(
      dimensions.flatMap((one, i) => [
        [`r${i}`, metric('Read', one)],
        [`w${i}`, metric('Write', one)],
      ]),
    ),
    period: MINUTE,
  });
}
