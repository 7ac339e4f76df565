// The alarm topic, the alarms (lib/operations/alarms.ts) and the dashboard (lib/operations/dashboard.ts).
import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type Dashboard, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Api } from '../compute/api.ts';
import type { Notifier } from '../compute/notifier.ts';
import type { Scaling } from '../compute/scaling.ts';
import type { Watcher } from '../compute/watcher.ts';
import type { Queues } from '../data/queues.ts';
import type { Storage } from '../data/storage.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import { type AlarmSpec, alarmSpecs } from './alarms.ts';
import { createDashboard } from './dashboard.ts';

export interface MonitoringProps {
  /** Uses `stage`, `alarmEmail` and `runbookUrl`. */
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly api: Api;
  readonly watcher: Watcher;
  readonly notifier: Notifier;
  readonly scaling: Scaling;
  /**
   * The key that encrypts the alarm topic.
   * @default - a key that SNS owns
   */
  readonly encryptionKey?: IKey;
}

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
      masterKey: props.encryptionKey,
    });
    // The topic's own policy replaces SNS's default policy, which lets services of the account publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (settings.alarmEmail !== undefined)
      this.topic.addSubscription(new EmailSubscription(settings.alarmEmail));
    this.alarms = Object.entries(alarmSpecs(props)).map(([name, spec]) => this.#alarm(name, spec, settings));
    this.dashboard = createDashboard(this, props, this.alarms);
  }

  #alarm(name: string, spec: AlarmSpec, { runbookUrl, stage }: DeploymentSettings): Alarm {
    const alarm = new Alarm(this, name, {
      alarmName: `punctual-${stage}-${spec.section}`,
      alarmDescription: `${spec.description} Runbook: ${runbookUrl}#${spec.section}`,
      metric: spec.metric,
      threshold: spec.threshold,
      evaluationPeriods: spec.minutes,
      datapointsToAlarm: spec.breachingMinutes ?? spec.minutes,
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
