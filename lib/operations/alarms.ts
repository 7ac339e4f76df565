// What calls people: every alarm says what it means, and where its section of the runbook is.
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { TABLES } from '../../src/store/dynamodb/tables.ts';
import { MAX_QUEUES, oldestInTime } from '../compute/scaling.ts';
import type { Queues } from '../data/queues.ts';
import { ownMetric } from './metrics.ts';
import type { MonitoringProps } from './monitoring.ts';

export interface AlarmSpec {
  /** Its section in the runbook. */
  readonly section: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly minutes: number;
  /** How many of those minutes. @default all */
  readonly of?: number;
  readonly below?: true;
  /** @default nothing wrong */
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
      says: 'The latest one in a hundred executions began more than 2 s after its time.',
      metric: ownMetric(settings, 'Lateness', 'p99'),
      threshold: 2000,
      minutes: 5,
      of: 3,
    },
    DispatchLag: {
      section: 'dispatch-lag',
      says: 'The watcher does not come as far as the horizon, or does not run at all.',
      metric: ownMetric(settings, 'DispatchLag', 'Maximum'),
      threshold: 30,
      minutes: 3,
      missing: TreatMissingData.BREACHING,
    },
    NoWorkers: {
      section: 'no-workers',
      says: 'No worker has given a sign of life.',
      metric: ownMetric(settings, 'Workers', 'Sum'),
      threshold: 1,
      minutes: 3,
      below: true,
      missing: TreatMissingData.BREACHING,
    },
    WrongClock: {
      section: 'wrong-clock',
      says: 'The clock of a machine is off by more than is allowed; a worker on it takes no work.',
      metric: ownMetric(settings, 'ClockOffset', 'Maximum'),
      threshold: DEFAULT_SETTINGS.clockSkewMs / 2,
      minutes: 1,
    },
    OldestMessage: {
      section: 'oldest-message',
      says: 'A message is older than one in time can be, by a minute.',
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
      threshold: oldestInTime(settings) + 60,
      minutes: 3,
    },
    DeadLetters: {
      section: 'dead-letters',
      says: 'A message that nobody can handle is in the dead letters.',
      metric: visible(queues.deadLetters),
      threshold: 0,
      minutes: 1,
    },
    IngestDeadLetters: {
      section: 'ingest-dead-letters',
      says: 'A job that was accepted cannot be created.',
      metric: visible(queues.ingestDeadLetters),
      threshold: 0,
      minutes: 1,
    },
    NotifyDeadLetters: {
      section: 'notify-dead-letters',
      says: 'A notification could not be told.',
      metric: visible(queues.notifyDeadLetters),
      threshold: 0,
      minutes: 1,
    },
    FailedPasses: {
      section: 'failed-passes',
      says: 'A pass of the watcher failed as a whole.',
      metric: visible(queues.failedPasses),
      threshold: 0,
      minutes: 1,
    },
    FailureRate: {
      section: 'failure-rate',
      says: 'More than one in ten executions fails for good.',
      metric: new MathExpression({
        // when all of them fail, there is no metric of those that succeed
        expression: 'IF(FILL(f, 0) + FILL(s, 0) >= 20, 100 * FILL(f, 0) / (FILL(f, 0) + FILL(s, 0)), 0)',
        usingMetrics: { f: failed, s: succeeded },
        period: MINUTE,
      }),
      threshold: 10,
      minutes: 5,
      of: 3,
    },
    Corrections: {
      section: 'settle-corrections',
      says: 'Settle has to send again what should have been done: workers die, or messages get lost.',
      metric: ownMetric(settings, 'SettleCorrections', 'Sum'),
      threshold: 100,
      minutes: 5,
      of: 3,
    },
    Throttles: {
      section: 'throttles',
      says: 'DynamoDB refuses requests because a table or a partition of it is over its capacity.',
      metric: throttlesOf(Object.values(storage.tables).map(({ tableName }) => ({ TableName: tableName }))),
      threshold: 10,
      minutes: 5,
      of: 3,
    },
    IndexThrottles: {
      section: 'index-throttles',
      says: 'An index is over its capacity, and DynamoDB refuses writes of its table because of it.',
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
      of: 3,
    },
    ApiErrors: {
      section: 'api-errors',
      says: 'More than one in a hundred requests ends in a 5xx.',
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
      of: 3,
    },
    LambdaErrors: {
      section: 'lambda-errors',
      says: 'Functions end with an error, or are throttled.',
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
      of: 3,
    },
  };
}

/** An alarm takes ten metrics: five tables or indexes. */
function throttlesOf(places: readonly Record<string, string>[]): IMetric {
  const metric = (kind: 'Read' | 'Write', dimensionsMap: Record<string, string>) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName: `${kind}ThrottleEvents`,
      dimensionsMap,
      statistic: 'Sum',
      period: MINUTE,
    });
  return new MathExpression({
    expression: places.map((_, i) => `FILL(r${i}, 0) + FILL(w${i}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(
      places.flatMap((place, i) => [
        [`r${i}`, metric('Read', place)],
        [`w${i}`, metric('Write', place)],
      ]),
    ),
    period: MINUTE,
  });
}
