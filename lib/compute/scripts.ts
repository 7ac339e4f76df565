// The resources of the task `script` (src/tasks/script/script-fargate.ts): a bucket for the programs, a container whose
// role has no permissions, and permissions of the workers to start it.
import { Duration, IgnoreMode, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Peer, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  ContainerImage,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDriver,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { DOCKERFILES } from '../bundling/deployed-files.ts';
import { createLogGroup } from '../operations/logs.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import type { Environment } from './environment.ts';
import type { Workers } from './worker.ts';

export interface ScriptsProps {
  readonly settings: DeploymentSettings;
  /** Scripts run in the cluster and the subnets of the workers, and workers start them. */
  readonly workers: Workers;
  /**
   * The key that encrypts the log group.
   * @default - a key that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * The image that scripts run in, with node, python3 and sh.
   * @default - built from Dockerfile.scripts
   */
  readonly image?: ContainerImage;
}

const CPU = 512;
const MEMORY_MIB = 1024;
/** The objects of scripts in the bucket (src/tasks/script/script-fargate.ts). */
const OBJECTS = 'scripts/*';

export class Scripts extends Construct {
  readonly bucket: Bucket;
  readonly task: FargateTaskDefinition;
  readonly securityGroup: SecurityGroup;
  /** The output of scripts. */
  readonly logGroup: LogGroup;
  /** Variables for workers, which run scripts, and for the API, which describes the task. */
  readonly environment: Environment;

  constructor(scope: Construct, id: string, { settings, workers, image, encryptionKey }: ScriptsProps) {
    super(scope, id);
    const { cluster, network } = workers;
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // A program is needed only until its container has started. The job keeps it.
      lifecycleRules: [
        { expiration: Duration.days(1), abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy: settings.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.securityGroup = new SecurityGroup(this, 'Network', {
      vpc: network.vpc,
      // A changed description would replace the group.
      description: 'Punctual scripts: nobody calls them, and they call by HTTPS alone',
      allowAllOutbound: false,
    });
    this.securityGroup.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'HTTPS');
    this.logGroup = createLogGroup(this, 'Logs', { settings, encryptionKey });
    this.task = this.#task(image);
    this.environment = {
      PUNCTUAL_CONTAINER_CLUSTER: cluster.clusterName,
      PUNCTUAL_CONTAINER_SUBNETS: network.subnets.map(({ subnetId }) => subnetId).join(','),
      PUNCTUAL_CONTAINER_PUBLIC_IP: String(network.assignPublicIp),
      // The family without a revision, so that workers of the previous deployment can start the latest revision.
      PUNCTUAL_SCRIPT_TASK_DEFINITION: this.task.family,
      PUNCTUAL_SCRIPT_BUCKET: this.bucket.bucketName,
      PUNCTUAL_SCRIPT_SECURITY_GROUPS: this.securityGroup.securityGroupId,
    };
    for (const statement of this.#permissions(workers))
      workers.grantPrincipal.addToPrincipalPolicy(statement);
  }

  #task(image?: ContainerImage): FargateTaskDefinition {
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: CPU,
      memoryLimitMiB: MEMORY_MIB,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      // The role must never get permissions, because scripts are code of users.
      taskRole: new Role(this, 'Nothing', {
        assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
        description: 'Punctual: scripts of users, without permissions',
      }),
      volumes: [{ name: 'tmp' }],
    });
    const container = task.addContainer('Script', {
      image: image ?? imageFromDockerfile(),
      readonlyRootFilesystem: true,
      logging: LogDriver.awsLogs({ logGroup: this.logGroup, streamPrefix: 'script' }),
    });
    container.addMountPoints({ containerPath: '/tmp', sourceVolume: 'tmp', readOnly: false });
    return task;
  }

  #permissions({ cluster }: Workers): PolicyStatement[] {
    const { task } = this;
    const tasks = { service: 'ecs', resource: 'task', resourceName: `${cluster.clusterName}/*` };
    const family = { service: 'ecs', resource: 'task-definition', resourceName: `${task.family}:*` };
    const inCluster = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } };
    return [
      // ecs:DescribeTaskDefinition cannot be limited to a resource.
      new PolicyStatement({ actions: ['ecs:DescribeTaskDefinition'], resources: ['*'] }),
      new PolicyStatement({
        actions: ['ecs:RunTask'],
        resources: [Stack.of(this).formatArn(family)],
        conditions: inCluster,
      }),
      // RunTask copies the tags of the task definition, which needs ecs:TagResource.
      new PolicyStatement({
        actions: ['ecs:TagResource'],
        resources: [Stack.of(this).formatArn(tasks)],
        conditions: { StringEquals: { 'ecs:CreateAction': 'RunTask' } },
      }),
      new PolicyStatement({
        actions: ['ecs:DescribeTasks', 'ecs:StopTask'],
        resources: [Stack.of(this).formatArn(tasks)],
        conditions: inCluster,
      }),
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [task.taskRole.roleArn, task.obtainExecutionRole().roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      }),
      new PolicyStatement({
        actions: ['s3:GetObject', 's3:PutObject'],
        resources: [this.bucket.arnForObjects(OBJECTS)],
      }),
      new PolicyStatement({ actions: ['logs:GetLogEvents'], resources: [this.logGroup.logGroupArn] }),
    ];
  }
}

const imageFromDockerfile = (): ContainerImage =>
  ContainerImage.fromAsset(DOCKERFILES, {
    file: 'Dockerfile.scripts',
    platform: Platform.LINUX_ARM64,
    ignoreMode: IgnoreMode.DOCKER,
    exclude: ['**', '!Dockerfile.scripts'],
  });
