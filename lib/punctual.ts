// All of it: storage, queues, API, watcher, workers, scaling and monitoring, for a stack of yours.
import { CfnOutput } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { letLogsAndAlarmsUse } from './access/queue-permissions.ts';
import { Api } from './compute/api.ts';
import { type Environment, environmentOf, prefixOf } from './compute/environment.ts';
import { Notifier } from './compute/notifier.ts';
import { Scaling } from './compute/scaling.ts';
import { Scripts } from './compute/scripts.ts';
import { Watcher } from './compute/watcher.ts';
import { Workers } from './compute/worker.ts';
import { Queues } from './data/queues.ts';
import { Storage } from './data/storage.ts';
import { Monitoring } from './operations/monitoring.ts';
import { type DeploymentSettings, readSettings, type SettingsInput } from './settings/settings.ts';

/** The settings (lib/settings has each one with its default), and what only code can hand in. */
export interface PunctualProps extends Readonly<SettingsInput> {
  /**
   * Where workers run.
   * @default - by `vpcId`, or a new VPC
   */
  readonly vpc?: IVpc;
  /**
   * Encrypts tables, queues, log groups and the alarm topic.
   * @default - by `kmsKeyArn`, or keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * What workers run: an image with tasks of yours, for example.
   * @default - built from the Dockerfile of this repository
   */
  readonly workerImage?: ContainerImage;
  /**
   * With `scripts`: what they run in, an image with node, python3 and sh.
   * @default - built from Dockerfile.scripts of this repository
   */
  readonly scriptImage?: ContainerImage;
  /**
   * What tasks are configured with (src/tasks/task-settings.ts), for every runtime alike.
   * @default - none: `http`, `noop` and the tasks of the folder `tasks`
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
  /** Absent without `scripts`. */
  readonly scripts?: Scripts;
  readonly scaling: Scaling;
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

    letLogsAndAlarmsUse(encryptionKey, this);

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
    if (settings.scripts) {
      const { workers } = this;
      this.scripts = new Scripts(this, 'Scripts', { settings, workers, encryptionKey, image: scriptImage });
      for (const [name, value] of Object.entries(this.scripts.environment)) {
        for (const runtime of [...Object.values(this.api.functions), workers.container])
          runtime.addEnvironment(name, value);
      }
    }
    this.scaling = new Scaling(this, 'Scaling', { settings, workers: this.workers, queues: queues.work });
    this.monitoring = new Monitoring(this, 'Monitoring', {
      ...common,
      api: this.api,
      watcher: this.watcher,
      notifier: this.notifier,
      scaling: this.scaling,
    });

    const { identity, domain, httpApi } = this.api;
    output(this, 'Url', domain ? `https://${domain.name}` : httpApi.apiEndpoint, 'Where the API answers');
    output(this, 'DomainTarget', domain?.regionalDomainName, 'What the domain is to point at');
    output(this, 'Issuer', identity.issuer, 'Whose tokens count');
    output(this, 'Audience', identity.audience.join(','), 'What tokens must be meant for');
    output(this, 'UserPoolId', identity.userPool?.userPoolId, 'Where users are made');
    output(this, 'AlarmTopic', this.monitoring.topic.topicArn, 'Where alarms are told');
  }
}

function output(scope: Construct, id: string, value: string | undefined, description: string): void {
  if (value !== undefined) new CfnOutput(scope, id, { value, description });
}
