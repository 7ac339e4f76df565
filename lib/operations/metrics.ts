// The metrics that the runtimes publish (src/runtime/metrics.ts), for the dashboard and the alarms.
import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { DIMENSION, deploymentOf, type MetricName, NAMESPACE } from '../../src/runtime/metrics.ts';
import { prefixOf } from '../compute/environment.ts';
import type { DeploymentSettings } from '../settings/settings.ts';

export const ownMetric = (
  settings: DeploymentSettings,
  metricName: MetricName,
  statistic: string,
  label?: string,
  by: Readonly<Record<string, string>> = {},
): Metric =>
  new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { [DIMENSION]: deploymentOf(prefixOf(settings)), ...by },
    statistic,
    period: Duration.minutes(1),
    label: label ?? metricName,
  });
