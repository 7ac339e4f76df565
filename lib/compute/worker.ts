// The workers: an ECS service on Fargate and Graviton, with the share of Spot capacity that the settings give.
import { Duration, Stack } from 'aws-cdk-lib';
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
  LinuxParameters,
  LogDriver,
  OperatingSystemFamily,
  PropagatedTagSource,
} from 'aws-cdk-lib/aws-ecs';
import { type IGrantable, type IPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { tableStatements } from '../access/permissions.ts';
import { grantConsume, grantKeyUse, grantSend } from '../access/queue-permissions.ts';
import { withWorkerImage } from '../bundling/deployed-files.ts';
import type { Queues } from '../data/queues.ts';
import type { Storage } from '../data/storage.ts';
import { createLogGroup } from '../operations/logs.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import type { Environment } from './environment.ts';
import { Network } from './network.ts';

export interface WorkerProps {
  /** Uses the settings of workers, network and tracing. */
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  /**
   * The key that encrypts tables and queues.
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * The VPC of the workers.
   * @default - the VPC of `settings.vpcId`, or a new VPC
   */
  readonly vpc?: IVpc;
  /**
   * The image of the workers.
   * @default - built from the Dockerfile, with the custom tasks of `settings.tasks`
   */
  readonly image?: ContainerImage;
  /** The environment variables of all runtimes. */
  readonly environment: Environment;
}

/** The time between SIGTERM and SIGKILL. 120 s is Fargate's maximum. */
const STOP_TIMEOUT = Duration.seconds(120);
/** 10 s less than STOP_TIMEOUT, so that the worker can finish its writes before SIGKILL. */
const DRAIN_SECONDS = 110;
/** The worker touches this file every 10 s (src/worker/liveness-file.ts). It is on a volume, the root is read-only. */
const ALIVE_FILE = '/tmp/punctual-alive';

export class Workers extends Construct implements IGrantable {
  readonly network: Network;
  readonly cluster: Cluster;
  readonly service: FargateService;
  readonly container: ContainerDefinition;
  readonly logGroup: ILogGroup;
  /** For grants on the resources that the tasks of your jobs use. */
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
    this.logGroup = createLogGroup(this, 'Logs', { settings, encryptionKey });
    const { task, container } = this.#task(props, this.logGroup);
    this.container = container;
    this.grantPrincipal = task.taskRole;
    for (const statement of tableStatements(storage, 'worker')) task.addToTaskRolePolicy(statement);
    grantConsume(task.taskRole, queues.work);
    grantSend(task.taskRole, [...queues.work, queues.deadLetters, queues.notify]);
    grantKeyUse(task.taskRole, encryptionKey);
    // X-Ray actions cannot be limited to a resource.
    if (settings.tracing)
      task.addToTaskRolePolicy(new PolicyStatement({ actions: ['xray:PutTraceSegments'], resources: ['*'] }));

    this.service = new FargateService(this, 'Service', {
      cluster: this.cluster,
      taskDefinition: task,
      desiredCount: undefined, // Scaling sets it. A deployment must not reduce the number of workers.
      vpcSubnets: { subnets: [...this.network.subnets] },
      assignPublicIp: this.network.assignPublicIp,
      securityGroups: [this.network.workers],
      capacityProviderStrategies: strategy(settings),
      circuitBreaker: { enable: true, rollback: true },
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      availabilityZoneRebalancing: AvailabilityZoneRebalancing.ENABLED,
      enableExecuteCommand: false,
      // AWS bills tasks, so cost allocation by tag needs the tags on them.
      propagateTags: PropagatedTagSource.SERVICE,
      enableECSManagedTags: true,
    });
    // Without the dependency, the service may be created before the cluster has its capacity providers, and would block
    // their deletion.
    this.service.node.addDependency(this.cluster);
    // The ids of tasks are not known here, so all tasks of this cluster are allowed.
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

  #task({ settings, image, environment }: WorkerProps, logGroup: ILogGroup) {
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: settings.workerCpu,
      memoryLimitMiB: settings.workerMemory,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      volumes: [{ name: 'tmp' }],
    });
    const addContainer = (built: ContainerImage) =>
      task.addContainer('Worker', {
        image: built,
        readonlyRootFilesystem: true,
        // Process 1 forwards SIGTERM and reaps child processes of tasks.
        linuxParameters: new LinuxParameters(this, 'Linux', { initProcessEnabled: true }),
        stopTimeout: STOP_TIMEOUT,
        environment: {
          ...environment,
          PUNCTUAL_CONCURRENCY: String(settings.workerConcurrency),
          PUNCTUAL_OWNER_SHARE: String(settings.ownerShare),
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
          // The worker is unhealthy if its event loop was blocked for a minute or its clock is wrong: a new task gets
          // another machine. An unavailable dependency does not make it unhealthy.
          command: ['CMD-SHELL', `test -n "$(find ${ALIVE_FILE} -mmin -1)"`],
          interval: Duration.seconds(30),
          timeout: Duration.seconds(5),
          retries: 3,
          startPeriod: Duration.seconds(30),
        },
        logging: LogDriver.awsLogs({ logGroup, streamPrefix: 'worker' }),
      });
    // The hash of a built image is that of its files.
    const container = image
      ? addContainer(image)
      : withWorkerImage(this, settings.tasks, (folder) =>
          addContainer(ContainerImage.fromAsset(folder, { platform: Platform.LINUX_ARM64 })),
        );
    container.addMountPoints({ containerPath: '/tmp', sourceVolume: 'tmp', readOnly: false });
    return { task, container };
  }
}

/** The first worker runs on demand, unless all workers run on Spot. */
function strategy({ spotShare }: DeploymentSettings): CapacityProviderStrategy[] {
  const spot = Math.round(spotShare * 100);
  if (spot === 0) return [{ capacityProvider: 'FARGATE', weight: 1 }];
  if (spot === 100) return [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }];
  return [
    { capacityProvider: 'FARGATE', base: 1, weight: 100 - spot },
    { capacityProvider: 'FARGATE_SPOT', weight: spot },
  ];
}
