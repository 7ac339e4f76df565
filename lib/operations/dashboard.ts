// The dashboard. From top to bottom it shows punctuality, throughput, failures and cost.
import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { MINUTES_SHOWN, RUNTIMES } from '../../src/runtime/metrics.ts';
import { MAX_QUEUES, sumOf } from '../compute/scaling.ts';
import { ownMetric } from './metrics.ts';
import type { MonitoringProps } from './monitoring.ts';

const MINUTE = Duration.minutes(1);

export function createDashboard(
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

  dashboard.addWidgets(heading('Punctuality'));
  dashboard.addWidgets(
    graph('Lateness (ms): start time − fire time', [
      own('Lateness', 'p50', 'p50'),
      own('Lateness', 'p99', 'p99'),
      own('Lateness', 'Maximum', 'max'),
    ]),
    graph('Dispatch lag (s)', [own('DispatchLag', 'Maximum', 'slowest shard')], {
      right: [own('ClockOffset', 'Maximum', 'clock offset (ms)')],
    }),
    new SingleValueWidget({
      title: 'Last minute',
      width: 8,
      height: 6,
      metrics: [own('Succeeded', 'Sum'), own('Failed', 'Sum'), own('Lateness', 'p99', 'lateness p99')],
    }),
  );
  if (settings.canary) {
    dashboard.addWidgets(
      graph('Canary: lateness of its job (ms)', [own('CanaryLateness', 'Maximum', 'lateness')], {
        width: 12,
      }),
      graph('Canary: passes that succeeded', [own('CanarySucceeded', 'Sum', 'succeeded')], { width: 12 }),
    );
  }
  dashboard.addWidgets(heading('Throughput'));
  dashboard.addWidgets(
    graph('Executions due in the busiest second of the look-ahead', [own('DuePerSecond', 'Sum', 'due/s')], {
      right: [scaling.wanted, own('Workers', 'Sum', 'workers')],
    }),
    graph(
      'Waiting messages',
      [sumOf(queues.work, (queue) => queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE }))],
      {
        right: queues.work
          .slice(0, MAX_QUEUES)
          .map((queue) => queue.metricApproximateAgeOfOldestMessage({ period: MINUTE })),
      },
    ),
    graph('Running executions', [own('Running', 'Sum')], { right: [own('Dispatched', 'Sum')] }),
  );
  dashboard.addWidgets(
    graph(
      'Executions due in the next minutes',
      Array.from({ length: Math.min(settings.lookAheadMinutes, MINUTES_SHOWN) }, (_, index) => {
        const minute = String(index + 1);
        return ownMetric(settings, 'DueInMinutes', 'Sum', `in ${minute} min`, { minute });
      }),
      { width: 24 },
    ),
  );
  dashboard.addWidgets(heading('Failures'));
  dashboard.addWidgets(
    graph('Executions by outcome', [
      own('Succeeded', 'Sum'),
      own('Failed', 'Sum'),
      own('Skipped', 'Sum'),
      own('Cancelled', 'Sum'),
      own('Retried', 'Sum'),
    ]),
    graph('Corrections and dead letters', [own('SettleCorrections', 'Sum', 'resent by settle')], {
      right: [
        queues.deadLetters,
        queues.ingestDeadLetters,
        queues.notifyDeadLetters,
        queues.failedPasses,
      ].map((queue) =>
        queue.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' }),
      ),
    }),
    graph('API requests', [
      api.httpApi.metricCount({ period: MINUTE, statistic: 'Sum' }),
      api.httpApi.metricClientError({ period: MINUTE, statistic: 'Sum' }),
      api.httpApi.metricServerError({ period: MINUTE, statistic: 'Sum' }),
    ]),
  );
  dashboard.addWidgets(heading('Cost'));
  const units = (name: 'WriteUnits' | 'ReadUnits') =>
    RUNTIMES.map((runtime) => ownMetric(settings, name, 'Sum', `${name} of ${runtime}s`, { runtime }));
  const [byWorkers, byWatchers] = units('WriteUnits');
  dashboard.addWidgets(
    graph('Capacity units by runtime', [...units('WriteUnits'), ...units('ReadUnits')]),
    graph('Write units per execution', [
      new MathExpression({
        expression: '(FILL(workers, 0) + FILL(watchers, 0)) / (succeeded + FILL(failed, 0))',
        usingMetrics: {
          workers: byWorkers as IMetric,
          watchers: byWatchers as IMetric,
          succeeded: own('Succeeded', 'Sum'),
          failed: own('Failed', 'Sum'),
        },
        period: MINUTE,
        label: 'workers and watchers',
      }),
    ]),
    new TextWidget({
      width: 8,
      height: 6,
      markdown: alarms.map((alarm) => `- \`${alarm.node.id}\``).join('\n'),
    }),
  );
  dashboard.addWidgets(
    graph(
      'Write units by table',
      Object.values(storage.tables).map((t) => t.metricConsumedWriteCapacityUnits({ period: MINUTE })),
    ),
    graph(
      'Read units by table',
      Object.values(storage.tables).map((t) => t.metricConsumedReadCapacityUnits({ period: MINUTE })),
    ),
  );
  return dashboard;
}
