// The number of workers. Scaling out is fast: it follows the executions that will be due, and the messages that wait.
// Scaling in is slow.
import { Duration, Stack } from 'aws-cdk-lib';
import {
  AdjustmentType,
  ScalableTarget,
  ServiceNamespace,
  StepScalingAction,
} from 'aws-cdk-lib/aws-applicationautoscaling';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { ApplicationScalingAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Role } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ownMetric } from '../operations/metrics.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import {
  AHEAD_COOLDOWN_SECONDS,
  BEHIND_COOLDOWN_SECONDS,
  BEHIND_MINUTES,
  BEHIND_PERCENT,
  stepsOut,
} from './scaling-steps.ts';
import type { Workers } from './worker.ts';

export interface ScalingProps {
  /** Uses `minWorkers`, `maxWorkers` and `executionsPerWorker`. */
  readonly settings: DeploymentSettings;
  readonly workers: Workers;
  readonly queues: readonly Queue[];
}

/** The queues that an alarm reads. CloudWatch allows ten metrics per alarm. Jobs are spread evenly, so a sample is enough. */
export const MAX_QUEUES = 8;
const IN_COOLDOWN = Duration.minutes(5);
const QUIET_MINUTES = 15;

/**
 * The maximum age of a message that starts on time, in seconds. A slot is dispatched when its first second is within the
 * look-ahead, and it is one minute long.
 */
export const maxAgeOnTimeSeconds = ({ lookAheadMinutes }: DeploymentSettings): number =>
  (lookAheadMinutes + 1) * 60;

export class Scaling extends Construct {
  /** The number of workers that the busiest second of the look-ahead needs. */
  readonly wanted: IMetric;

  constructor(scope: Construct, id: string, { settings, workers, queues }: ScalingProps) {
    super(scope, id);
    const { cluster, service } = workers;
    const target = new ScalableTarget(this, 'Target', {
      serviceNamespace: ServiceNamespace.ECS,
      scalableDimension: 'ecs:service:DesiredCount',
      resourceId: `service/${cluster.clusterName}/${service.serviceName}`,
      minCapacity: settings.minWorkers,
      maxCapacity: settings.maxWorkers,
      role: Role.fromRoleArn(this, 'Role', serviceLinkedRole(this)),
    });
    const due = ownMetric(settings, 'DuePerSecond', 'Sum');
    const running = ownMetric(settings, 'Workers', 'Sum');
    const perWorker = settings.executionsPerWorker;
    this.wanted = new MathExpression({
      expression: `CEIL(due / ${perWorker})`,
      usingMetrics: { due },
      period: Duration.minutes(1),
      label: 'workers wanted',
    });

    const ahead = new StepScalingAction(this, 'Ahead', {
      scalingTarget: target,
      adjustmentType: AdjustmentType.CHANGE_IN_CAPACITY,
      cooldown: Duration.seconds(AHEAD_COOLDOWN_SECONDS),
    });
    // Bounds are relative to the alarm's threshold, which is one missing worker.
    const steps = stepsOut(settings.maxWorkers);
    steps.forEach(({ missing, add }, index) => {
      const next = steps[index + 1]?.missing;
      ahead.addAdjustment({
        lowerBound: missing - 1,
        upperBound: next === undefined ? undefined : next - 1,
        adjustment: add,
      });
    });
    alarm(this, 'MoreWillBeDue', {
      description: 'Adds workers before the load is due.',
      metric: new MathExpression({
        expression: `CEIL(due / ${perWorker}) - FILL(running, 0)`,
        usingMetrics: { due, running },
        period: Duration.minutes(1),
      }),
      threshold: 1,
      minutes: 1,
      action: ahead,
    });

    const behind = new StepScalingAction(this, 'Behind', {
      scalingTarget: target,
      adjustmentType: AdjustmentType.PERCENT_CHANGE_IN_CAPACITY,
      minAdjustmentMagnitude: 1,
      cooldown: Duration.seconds(BEHIND_COOLDOWN_SECONDS),
    });
    behind.addAdjustment({ lowerBound: 0, adjustment: BEHIND_PERCENT });
    alarm(this, 'MoreWaitsThanIsTaken', {
      description: 'Adds workers when messages wait in the queues.',
      metric: sumOf(queues, (queue) =>
        queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Minimum' }),
      ),
      threshold: perWorker * settings.minWorkers,
      minutes: BEHIND_MINUTES,
      action: behind,
    });

    alarm(this, 'OldestWaitsTooLong', {
      description:
        'Adds workers when a waiting message is more than 2 minutes older than the look-ahead allows.',
      metric: ageOfWaiting(queues),
      threshold: maxAgeOnTimeSeconds(settings) + 60,
      minutes: 1,
      action: behind,
    });

    const quiet = new StepScalingAction(this, 'Quiet', {
      scalingTarget: target,
      adjustmentType: AdjustmentType.PERCENT_CHANGE_IN_CAPACITY,
      minAdjustmentMagnitude: 1,
      cooldown: IN_COOLDOWN,
    });
    quiet.addAdjustment({ lowerBound: 0, adjustment: -10 });
    alarm(this, 'FewerAreEnough', {
      description: `Removes workers when fewer have been enough for ${QUIET_MINUTES} minutes.`,
      metric: new MathExpression({
        expression: `FILL(running, 0) - CEIL(due / ${perWorker} * 1.2)`,
        usingMetrics: { due, running },
        period: Duration.minutes(1),
      }),
      threshold: 1,
      minutes: QUIET_MINUTES,
      action: quiet,
    });
  }
}

/** Application Auto Scaling creates this role for ECS services, and uses it whatever role a target names. */
const serviceLinkedRole = (scope: Construct): string =>
  Stack.of(scope).formatArn({
    service: 'iam',
    region: '',
    resource: 'role/aws-service-role/ecs.application-autoscaling.amazonaws.com',
    resourceName: 'AWSServiceRoleForApplicationAutoScaling_ECSService',
  });

/**
 * The age of the oldest message, or 0 if no message is visible. Messages of executions that wait for another run of their
 * job are old and hidden, and more workers would not help them.
 */
function ageOfWaiting(queues: readonly Queue[]): IMetric {
  const sample = queues.slice(0, MAX_QUEUES / 2);
  const period = Duration.minutes(1);
  const usingMetrics = Object.fromEntries(
    sample.flatMap((queue, index) => [
      [`age${index}`, queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'Maximum' })],
      [`waiting${index}`, queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Minimum' })],
    ]),
  );
  const late = sample.map((_, index) => `IF(waiting${index} > 0, age${index}, 0)`);
  return new MathExpression({
    expression: late.length === 1 ? String(late[0]) : `MAX([${late.join(', ')}])`,
    usingMetrics,
    period,
  });
}

export function sumOf(queues: readonly Queue[], metricOf: (queue: Queue) => IMetric): IMetric {
  const sample = queues.slice(0, MAX_QUEUES);
  const usingMetrics = Object.fromEntries(sample.map((queue, index) => [`q${index}`, metricOf(queue)]));
  const factor = queues.length / sample.length;
  return new MathExpression({
    // An unused queue has no metrics after six hours.
    expression: `(${Object.keys(usingMetrics)
      .map((queue) => `FILL(${queue}, 0)`)
      .join(' + ')})${factor === 1 ? '' : ` * ${factor}`}`,
    usingMetrics,
    period: Duration.minutes(1),
  });
}

function alarm(
  scope: Construct,
  id: string,
  props: {
    description: string;
    metric: IMetric;
    threshold: number;
    minutes: number;
    action: StepScalingAction;
  },
): void {
  const made = new Alarm(scope, id, {
    alarmDescription: `Scaling trigger, no action needed. ${props.description}`,
    metric: props.metric,
    threshold: props.threshold,
    evaluationPeriods: props.minutes,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  made.addAlarmAction(new ApplicationScalingAction(props.action));
}
