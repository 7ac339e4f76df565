// The construct for a stack of your own: storage, queues, API, watcher, workers, scaling and monitoring.
import { CfnOutput } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { allowLogsAndAlarms } from './access/queue-permissions.ts';
import { Api } from './compute/api.ts';
import { type Environment, environmentOf, prefixOf } from './compute/environment.ts';
import { Notifier } from './compute/notifier.ts';
import { Scaling } from './compute/scaling.ts';
import { Scripts } from './compute/scripts.ts';
import { Watcher } from './compute/watcher.ts';
import { Workers } from './compute/worker.ts';
import { Queues } from './data/queues.ts';
import { Storage } from './data/storage.ts';
import { Canary } from './operations/canary.ts';
import { Monitoring } from './operations/monitoring.ts';
import type { SettingProps } from './settings/setting-props.ts';
import { type DeploymentSettings, readSettings } from './settings/settings.ts';

/** The settings, and the constructs that only code can pass. */
export interface PunctualProps extends SettingProps {
  /**
   * The VPC of the workers.
   * @default - the VPC of `vpcId`, or a new VPC
   */
  readonly vpc?: IVpc;
  /**
   * The key that encrypts tables, queues, log groups and the alarm topic.
   * @default - the key of `kmsKeyArn`, or keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * The image of the workers.
   * @default - built at deployment, with the custom tasks of `tasks`
   */
  readonly workerImage?: ContainerImage;
  /**
   * The image that scripts run in, with node, python3 and sh. Used if `scripts` is on.
   * @default - built at deployment. On a machine that is not arm64, Docker needs emulation for it
   */
  readonly scriptImage?: ContainerImage;
  /**
   * Environment variables that configure tasks, such as `PUNCTUAL_ALLOW_LAMBDA` (docs/tasks.md). Every runtime gets them.
   * @default - none, which leaves `http`, `noop` and the custom tasks
   */
  readonly taskEnvironment?: Environment;
}

export class Punctual extends Construct {
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly api: Api;
  readonly watcher: Watcher;
  readonly notifier: Notifier;
  readonly workers: Workers;
  /** Undefined if `scripts` is off. */
  readonly scripts?: Scripts;
  readonly scaling: Scaling;
  /** Undefined if `canary` is off. */
  readonly canary?: Canary;
  readonly monitoring: Monitoring;

  constructor(scope: Construct, id: string, props: PunctualProps = {}) {
    super(scope, id);
    const {
      vpc,
      encryptionKey: givenKey,
      workerImage: image,
      scriptImage,
      taskEnvironment,
      ...given
    } = props;
    const settings = readSettings(given);
    this.settings = settings;
    const prefix = prefixOf(settings);
    const encryptionKey =
      givenKey ?? (settings.kmsKeyArn ? Key.fromKeyArn(this, 'Key', settings.kmsKeyArn) : undefined);

    allowLogsAndAlarms(encryptionKey, this);

    const storage = new Storage(this, 'Storage', { prefix, settings, encryptionKey });
    const queues = new Queues(this, 'Queues', { prefix, count: settings.queues, encryptionKey });
    const environment = environmentOf(settings, queues, taskEnvironment);
    const common = { settings, storage, queues, encryptionKey, environment };
    this.storage = storage;
    this.queues = queues;
    this.api = new Api(this, 'Api', common);
    this.notifier = new Notifier(this, 'Notifier', common);
    this.watcher = new Watcher(this, 'Watcher', common);
    this.workers = new Workers(this, 'Workers', { ...common, vpc, image });
    this.api.showTelemetryOf(this.workers.logGroup);
    this.api.console?.lambda.addEnvironment('PUNCTUAL_CONSOLE_LOG_GROUP', this.workers.logGroup.logGroupName);
    if (settings.scripts) {
      const { workers } = this;
      this.scripts = new Scripts(this, 'Scripts', { settings, workers, encryptionKey, image: scriptImage });
      for (const [name, value] of Object.entries(this.scripts.environment)) {
        for (const runtime of [...Object.values(this.api.functions), workers.container])
          runtime.addEnvironment(name, value);
      }
    }
    this.scaling = new Scaling(this, 'Scaling', { settings, workers: this.workers, queues: queues.work });
    if (settings.canary) {
      this.canary = new Canary(this, 'Canary', { settings, storage, encryptionKey, api: this.api });
    }
    this.monitoring = new Monitoring(this, 'Monitoring', {
      ...common,
      api: this.api,
      watcher: this.watcher,
      notifier: this.notifier,
      scaling: this.scaling,
    });

    const { identity, domain } = this.api;
    output(this, 'Url', this.api.url, 'Base URL of the API');
    output(this, 'ConsoleUrl', this.api.console?.url, 'URL of the web console');
    output(
      this,
      'DomainTarget',
      domain?.regionalDomainName,
      'Target of the DNS record for the custom domain',
    );
    output(this, 'Issuer', identity.issuer, 'OIDC issuer of accepted tokens');
    if (identity.audience.length > 0)
      output(this, 'Audience', identity.audience.join(','), 'Accepted audiences of tokens');
    output(this, 'UserPoolId', identity.userPool?.userPoolId, 'ID of the Cognito user pool');
    if (identity.services.size > 0) {
      const ids = [...identity.services].map(([name, { userPoolClientId: id }]) => `${name}=${id}`);
      output(this, 'TokenUrl', identity.tokenUrl(), 'Token endpoint for services');
      output(this, 'ServiceClients', ids.join(','), 'Names and client ids of services');
    }
    output(this, 'AlarmTopic', this.monitoring.topic.topicArn, 'ARN of the SNS topic for alarms');
  }

  /** Lets a role or user call the API with signed requests, with `authorization: iam`. Each role is a user of its own. */
  grantInvoke(grantee: IGrantable): void {
    this.api.grantInvoke(grantee);
  }
}

function output(scope: Construct, id: string, value: string | undefined, description: string): void {
  if (value !== undefined) new CfnOutput(scope, id, { value, description });
}
