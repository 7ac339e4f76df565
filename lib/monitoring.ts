// What people look at, and what calls them. The dashboard reads from the top: is it on time, is it keeping up, what fails.
// Every alarm says what it means and where its section of the runbook is.
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  SingleValueWidget,
  TextWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Api } from './api.ts';
import { ownMetric } from './metrics.ts';
import type { Notifier } from './notifier.ts';
import type { Queues } from './queues.ts';
import { MOST_QUEUES, type Scaling, sumOf } from './scaling.ts';
import type { DeploymentSettings } from './settings.ts';
import type { Storage } from './storage.ts';
import type { Watcher } from './watcher.ts';

export interface MonitoringProps {
  /** `alarmEmail`, `runbookUrl`. */
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly api: Api;
  readonly watcher: Watcher;
  readonly notifier: Notifier;
  readonly scaling: Scaling;
}

interface AlarmSpec {
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

export class Monitoring extends Construct {
  readonly topic: Topic;
  readonly alarms: readonly Alarm[];
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { settings } = props;
    this.topic = new Topic(this, 'Alarms', {
      displayName: `Punctual ${settings.stage}`,
      enforceSSL: true,
    });
    if (settings.alarmEmail !== undefined)
      this.topic.addSubscription(new EmailSubscription(settings.alarmEmail));
    this.alarms = Object.entries(alarmSpecs(props)).map(([name, spec]) => this.#alarm(name, spec, settings));
    this.dashboard = createDashboard(this, props, this.alarms);
  }

  #alarm(name: string, spec: AlarmSpec, { runbookUrl, stage }: DeploymentSettings): Alarm {
    const alarm = new Alarm(this, name, {
      alarmName: `punctual-${stage}-${spec.section}`,
      alarmDescription: `${spec.says} Runbook: ${runbookUrl}#${spec.section}`,
      metric: spec.metric,
      threshold: spec.threshold,
      evaluationPeriods: spec.minutes,
      datapointsToAlarm: spec.of ?? spec.minutes,
      comparisonOperator: spec.below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: spec.missing ?? TreatMissingData.NOT_BREACHING,
    });
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    return alarm;
  }
}

function alarmSpecs({
  settings,
  storage,
  queues,
  api,
  watcher,
  notifier,
}: MonitoringProps): Record<string, AlarmSpec> {
  const visible = (queue: Queues['deadLetters']) =>
    queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' });
  const tables = Object.values(storage.tables);
  const throttles = new MathExpression({
    expression: tables.map((_, i) => `FILL(r${i}, 0) + FILL(w${i}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(
      tables.flatMap((table, i) =>
        (['Read', 'Write'] as const).map((kind) => [
          `${kind === 'Read' ? 'r' : 'w'}${i}`,
          new Metric({
            namespace: 'AWS/DynamoDB',
            metricName: `${kind}ThrottleEvents`,
            dimensionsMap: { TableName: table.tableName },
            statistic: 'Sum',
            period: MINUTE,
          }),
        ]),
      ),
    ),
    period: MINUTE,
  });
  const failed = ownMetric(settings, 'Failed', 'Sum');
  const succeeded = ownMetric(settings, 'Succeeded', 'Sum');
  const lambdas = [...Object.values(api.functions), watcher.lambda, notifier.lambda];
  const horizon = settings.lookAheadMinutes * 60;
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
    OldestMessage: {
      section: 'oldest-message',
      says: 'A message waits for longer than the horizon and a minute.',
      // a message is sent up to a horizon before its time
      metric: new MathExpression({
        expression: 'MAX(METRICS())',
        usingMetrics: Object.fromEntries(
          queues.work
            .slice(0, MOST_QUEUES)
            .map((queue, i) => [
              `q${i}`,
              queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: 'Maximum' }),
            ]),
        ),
        period: MINUTE,
      }),
      threshold: horizon + 60,
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
        expression: 'IF(failed + succeeded >= 20, 100 * failed / (failed + succeeded), 0)',
        usingMetrics: { failed, succeeded },
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
      says: 'DynamoDB refuses requests because a table or a partition is over its capacity.',
      metric: throttles,
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
        expression: 'SUM(METRICS())',
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

function createDashboard(
  scope: Construct,
  { settings, storage, queues, api, scaling }: MonitoringProps,
  alarms: readonly Alarm[],
): Dashboard {
  const own = (name: Parameters<typeof ownMetric>[1], statistic: string, label?: string) =>
    ownMetric(settings, name, statistic, label);
  const graph = (
    title: string,
    left: IMetric[],
    more: Partial<ConstructorParameters<typeof GraphWidget>[0]> = {},
  ) => new GraphWidget({ title, left, width: 8, height: 6, leftYAxis: { min: 0 }, ...more });
  const heading = (text: string) => new TextWidget({ markdown: `## ${text}`, width: 24, height: 1 });
  const dashboard = new Dashboard(scope, 'Dashboard', { dashboardName: `punctual-${settings.stage}` });

  dashboard.addWidgets(heading('Is it on time?'));
  dashboard.addWidgets(
    graph('Lateness (ms): start − due', [
      own('Lateness', 'p50', 'p50'),
      own('Lateness', 'p99', 'p99'),
      own('Lateness', 'Maximum', 'max'),
    ]),
    graph('Dispatch lag (s)', [own('DispatchLag', 'Maximum', 'slowest shard')]),
    new SingleValueWidget({
      title: 'The last minute',
      width: 8,
      height: 6,
      metrics: [own('Succeeded', 'Sum'), own('Failed', 'Sum'), own('Lateness', 'p99', 'lateness p99')],
    }),
  );
  dashboard.addWidgets(heading('Is it keeping up?'));
  dashboard.addWidgets(
    graph('Due in the busiest second of the next minutes', [own('DuePerSecond', 'Sum', 'due/s')], {
      right: [scaling.wanted, own('Workers', 'Sum', 'workers')],
    }),
    graph(
      'Messages that wait',
      [sumOf(queues.work, (queue) => queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }))],
      {
        right: queues.work
          .slice(0, MOST_QUEUES)
          .map((queue) => queue.metricApproximateAgeOfOldestMessage({ period: MINUTE })),
      },
    ),
    graph('Running', [own('Running', 'Sum')], { right: [own('Dispatched', 'Sum')] }),
  );
  dashboard.addWidgets(heading('What fails?'));
  dashboard.addWidgets(
    graph('Executions by outcome', [
      own('Succeeded', 'Sum'),
      own('Failed', 'Sum'),
      own('Skipped', 'Sum'),
      own('Cancelled', 'Sum'),
      own('Retried', 'Sum'),
    ]),
    graph('Put right', [own('SettleCorrections', 'Sum', 'sent again by settle')], {
      right: [
        queues.deadLetters,
        queues.ingestDeadLetters,
        queues.notifyDeadLetters,
        queues.failedPasses,
      ].map((queue) =>
        queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' }),
      ),
    }),
    graph('API', [
      api.httpApi.metricCount({ period: MINUTE, statistic: 'Sum' }),
      api.httpApi.metricClientError({ period: MINUTE, statistic: 'Sum' }),
      api.httpApi.metricServerError({ period: MINUTE, statistic: 'Sum' }),
    ]),
  );
  dashboard.addWidgets(heading('What does it cost?'));
  dashboard.addWidgets(
    graph(
      'Write units',
      Object.values(storage.tables).map((t) => t.metricConsumedWriteCapacityUnits({ period: MINUTE })),
    ),
    graph(
      'Read units',
      Object.values(storage.tables).map((t) => t.metricConsumedReadCapacityUnits({ period: MINUTE })),
    ),
    new TextWidget({
      width: 8,
      height: 6,
      markdown: alarms.map((alarm) => `- \`${alarm.node.id}\``).join('\n'),
    }),
  );
  return dashboard;
}
