// The counts of executions from CloudWatch: the query, its cache and its errors.
import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../../src/runtime/metrics.ts';
import {
  createCloudWatchStatistics,
  STATISTICS_CACHED_MS,
} from '../../src/telemetry/cloudwatch/metric-data.ts';

const cloudWatch = mockClient(CloudWatchClient);
afterEach(() => cloudWatch.reset());

const MINUTE = 60_000;
const T0 = Date.parse('2026-12-01T10:00:00Z');

function opened() {
  let now = 1_000;
  const client = new CloudWatchClient({ region: 'us-east-1' });
  const statistics = createCloudWatchStatistics({
    client: async () => client,
    namespace: 'Punctual',
    dimension: { name: 'service', value: 'punctual-dev' },
    monotonic: () => now,
  });
  return {
    statistics,
    tick: (ms: number) => {
      now += ms;
    },
    read: (bucket: 'PT1M' | 'PT5M' = 'PT1M', to = T0 + 5 * MINUTE) =>
      statistics.read({ from: T0, to, bucket }),
  };
}

const inputs = () => cloudWatch.commandCalls(GetMetricDataCommand).map(({ args }) => args[0].input);
const series = (Id: string, ...points: [minute: number, value: number][]) => ({
  Id,
  Timestamps: points.map(([minute]) => new Date(T0 + minute * MINUTE)),
  Values: points.map(([, value]) => value),
});

describe('a query', () => {
  it('asks for all metrics of this deployment at once', async () => {
    cloudWatch.on(GetMetricDataCommand).resolves({ MetricDataResults: [] });
    expect(await opened().read('PT5M')).toEqual([]);
    const [input] = inputs();
    expect(input).toMatchObject({ StartTime: new Date(T0), EndTime: new Date(T0 + 5 * MINUTE) });
    const asked = input?.MetricDataQueries?.map(({ Id, MetricStat: m }) => [
      Id,
      m?.Metric?.MetricName,
      m?.Stat,
      m?.Period,
    ]);
    expect(asked).toEqual([
      ['started', 'Lateness', 'SampleCount', 300],
      ['succeeded', 'Succeeded', 'Sum', 300],
      ['failed', 'Failed', 'Sum', 300],
      ['skipped', 'Skipped', 'Sum', 300],
      ['cancelled', 'Cancelled', 'Sum', 300],
      ['retried', 'Retried', 'Sum', 300],
      ['running', 'Running', 'Sum', 300],
      ['p50', 'Lateness', 'p50', 300],
      ['p99', 'Lateness', 'p99', 300],
    ]);
    for (const { MetricStat } of input?.MetricDataQueries ?? []) {
      expect(METRIC_NAMES).toContain(MetricStat?.Metric?.MetricName);
      expect(MetricStat?.Metric).toMatchObject({
        Namespace: 'Punctual',
        Dimensions: [{ Name: 'service', Value: 'punctual-dev' }],
      });
    }
  });

  it('merges the series by time. A metric without a point is 0', async () => {
    cloudWatch.on(GetMetricDataCommand).resolves({
      MetricDataResults: [
        series('succeeded', [0, 8], [2, 5]),
        series('started', [0, 9]),
        series('failed', [2, 1]),
        series('running', [0, 3]),
        series('p50', [0, 4]),
        series('p99', [0, 21.5]),
      ],
    });
    const none = { started: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0, retried: 0 };
    expect(await opened().read()).toEqual([
      { at: T0, ...none, succeeded: 8, started: 9, running: 3, latenessMs: { p50: 4, p99: 21.5 } },
      { at: T0 + 2 * MINUTE, ...none, succeeded: 5, failed: 1 },
    ]);
  });

  it('running is an average: workers report once a minute, and CloudWatch adds up the reports of a bucket', async () => {
    cloudWatch.on(GetMetricDataCommand).resolves({ MetricDataResults: [series('running', [0, 15])] });
    expect(await opened().read('PT5M')).toMatchObject([{ running: 3 }]);
  });

  it('reads further responses, five at most', async () => {
    cloudWatch
      .on(GetMetricDataCommand)
      .resolves({ MetricDataResults: [series('failed', [0, 1])], NextToken: 'more' });
    await opened().read();
    expect(inputs().map(({ NextToken }) => NextToken)).toEqual([undefined, 'more', 'more', 'more', 'more']);
  });

  it('says how long CloudWatch keeps the points of a bucket', () => {
    const { statistics } = opened();
    const days = (bucket: 'PT1M' | 'PT5M' | 'P1D') => (T0 - statistics.since(T0, bucket)) / (1_440 * MINUTE);
    expect([days('PT1M'), days('PT5M'), days('P1D')]).toEqual([15, 63, 455]);
  });
});

describe('the cache', () => {
  it('one process sends a query once a minute', async () => {
    cloudWatch.on(GetMetricDataCommand).resolves({ MetricDataResults: [] });
    const { read, tick } = opened();
    await Promise.all([read(), read()]);
    tick(STATISTICS_CACHED_MS - 1);
    await read();
    expect(inputs()).toHaveLength(1);
    tick(2);
    await read();
    expect(inputs()).toHaveLength(2);
    await read('PT1M', T0 + 6 * MINUTE);
    expect(inputs()).toHaveLength(3);
  });

  it('an error is kept for five seconds, and is a clear answer', async () => {
    const named = (name: string) => Object.assign(new Error('from AWS'), { name });
    cloudWatch.on(GetMetricDataCommand).rejects(named('ThrottlingException'));
    const { read, tick } = opened();
    await expect(read()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('CloudWatch throttles'),
    });
    const calls = inputs().length;
    await expect(read()).rejects.toThrow('throttles');
    expect(inputs()).toHaveLength(calls);
    tick(5_001);
    cloudWatch.on(GetMetricDataCommand).rejects(named('AccessDenied'));
    await expect(read()).rejects.toThrow('the query service has no permission for cloudwatch:GetMetricData');
    cloudWatch.on(GetMetricDataCommand).resolves({ MetricDataResults: [] });
    tick(5_001);
    expect(await read()).toEqual([]);
  });
});
