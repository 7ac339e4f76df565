// The workers: a service on Fargate, on Graviton, with as much of Spot as the settings say.

import { Duration, IgnoreMode, Stack } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  AvailabilityZoneRebalancing,
  type CapacityProviderStrategy,
  Cluster,
  type ContainerDefinition,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  LogDriver,
  OperatingSystemFamily,
  PropagatedTagSource,
} from 'aws-cdk-lib/aws-ecs';
import { type IGrantable, type IPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { tableStatements } from '../access/permissions.ts';
import { mayConsume, maySend, mayUseKey } from '../access/queue-permissions.ts';
import { ROOT } from '../bundling/bundle.ts';
import type { Queues } from '../data/queues.ts';
import type { Storage } from '../data/storage.ts';
import { createLogGroup } from '../operations/logs.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import type { Environment } from './environment.ts';
import { Network } from './network.ts';

export interface WorkerProps {
  /** Size, number, Spot share, network. */
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  /**
   * Encrypts tables and queues.
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * Where they run.
   * @default - by `settings.vpcId`, or a new VPC
   */
  readonly vpc?: IVpc;
  /**
   * What they run, when it is not built from this repository's Dockerfile: one with tasks of yours, for example.
   * @default - built from the Dockerfile
   */
  readonly image?: ContainerImage;
  /** What all runtimes are told. */
  readonly environment: Environment;
}

/** Between SIGTERM and SIGKILL; Fargate waits no longer. */
const STOP_TIMEOUT = Duration.seconds(120);
/** Ten less, to say goodbye. */
const DRAIN_SECONDS = 110;
/** Touched by the worker every ten seconds (src/worker/liveness-file.ts); on a volume, because the rest is read-only. */
const ALIVE_FILE = '/tmp/punctual-alive';

export class Workers extends Construct implements IGrantable {
  readonly network: Network;
  readonly cluster: Cluster;
  readonly service: FargateService;
  readonly container: ContainerDefinition;
  /** For grants: what the tasks of your jobs may touch is up to you. */
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { settings, storage, queues, encryptionKey } = props;
    this.network = new Network(this, 'Network', { settings, vpc: props.vpc, encryptionKey });
    this.cluster = new Cluster(this, 'Cluster', {
      vpc: this.network.vpc,
      containerInsightsV2: ContainerInsights.ENABLED,
      enableFargateCapacityProviders: true,
    });
    const { task, container } = this.#task(props);
    this.container = container;
    this.grantPrincipal = task.taskRole;
    for (const statement of tableStatements(storage, 'worker')) task.addToTaskRolePolicy(statement);
    mayConsume(task.taskRole, queues.work);
    maySend(task.taskRole, [...queues.work, queues.deadLetters, queues.notify]);
    mayUseKey(task.taskRole, encryptionKey);
    // X-Ray knows no resources
    if (settings.tracing)
      task.addToTaskRolePolicy(new PolicyStatement({ actions: ['xray:PutTraceSegments'], resources: ['*'] }));

    this.service = new FargateService(this, 'Service', {
      cluster: this.cluster,
      taskDefinition: task,
      desiredCount: undefined, // the scaling's business: a deployment must not take workers away
      vpcSubnets: { subnets: [...this.network.subnets] },
      assignPublicIp: this.network.assignPublicIp,
      securityGroups: [this.network.workers],
      capacityProviderStrategies: strategy(settings),
      circuitBreaker: { enable: true, rollback: true },
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      availabilityZoneRebalancing: AvailabilityZoneRebalancing.ENABLED,
      enableExecuteCommand: false,
      // cost allocation by tag needs the tags on the tasks, which are what is billed
      propagateTags: PropagatedTagSource.SERVICE,
      enableECSManagedTags: true,
    });
    // or it may be made before the cluster knows the capacity providers, and is in their way when both are deleted
    this.service.node.addDependency(this.cluster);
    // no id of the task is known here: of this cluster's tasks
    task.addToTaskRolePolicy(
      new PolicyStatement({
        actions: ['ecs:UpdateTaskProtection'],
        resources: [
          Stack.of(this).formatArn({
            service: 'ecs',
            resource: 'task',
            resourceName: `${this.cluster.clusterName}/*`,
          }),
        ],
      }),
    );
  }

  #task({ settings, image, environment, encryptionKey }: WorkerProps) {
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: settings.workerCpu,
      memoryLimitMiB: settings.workerMemory,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      volumes: [{ name: 'tmp' }],
    });
    const container = task.addContainer('Worker', {
      image: image ?? imageFromDockerfile(),
      readonlyRootFilesystem: true,
      stopTimeout: STOP_TIMEOUT,
      environment: {
        ...environment,
        PUNCTUAL_CONCURRENCY: String(settings.workerConcurrency),
        PUNCTUAL_DRAIN_SECONDS: String(DRAIN_SECONDS),
        PUNCTUAL_PROTECT_MINUTES: String(settings.maxProtectionMinutes),
        PUNCTUAL_ALIVE_FILE: ALIVE_FILE,
        PUNCTUAL_METRICS: 'on',
        ...(settings.tracing && {
          PUNCTUAL_TRACING: 'on',
          PUNCTUAL_TRACE_SAMPLING: String(settings.traceSampling),
        }),
      },
      healthCheck: {
        // unhealthy when the event loop has stood still for a minute, or the clock is wrong: another machine has a right one.
        // A dependency that is down is no reason to restart
        command: ['CMD-SHELL', `test -n "$(find ${ALIVE_FILE} -mmin -1)"`],
        interval: Duration.seconds(30),
        timeout: Duration.seconds(5),
        retries: 3,
        startPeriod: Duration.seconds(30),
      },
      logging: LogDriver.awsLogs({
        logGroup: createLogGroup(this, 'Logs', { settings, encryptionKey }),
        streamPrefix: 'worker',
      }),
    });
    container.addMountPoints({ containerPath: '/tmp', sourceVolume: 'tmp', readOnly: false });
    return { task, container };
  }
}

/** What the build needs, and nothing else: the image's hash changes with these alone. */
const imageFromDockerfile = (): ContainerImage =>
  ContainerImage.fromAsset(ROOT, {
    platform: Platform.LINUX_ARM64,
    ignoreMode: IgnoreMode.DOCKER,
    exclude: [
      '**',
      '!Dockerfile',
      '!package.json',
      '!package-lock.json',
      '!.npmrc',
      '!lib/bundling/bundle.ts',
      '!lib/bundling/custom-tasks.ts',
      '!lib/bundling/commonjs-interop.ts',
      '!lib/bundling/bundle-plugins.ts',
      '!lib/bundling/source-maps.ts',
      '!src',
      '!tasks',
    ],
  });

/** The first worker is not on Spot, unless all are. */
function strategy({ spotShare }: DeploymentSettings): CapacityProviderStrategy[] {
  const spot = Math.round(spotShare * 100);
  if (spot === 0) return [{ capacityProvider: 'FARGATE', weight: 1 }];
  if (spot === 100) return [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }];
  return [
    { capacityProvider: 'FARGATE', base: 1, weight: 100 - spot },
    { capacityProvider: 'FARGATE_SPOT', weight: spot },
  ];
}
