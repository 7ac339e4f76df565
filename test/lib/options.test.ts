// What each setting changes in the template, compared with the default deployment (snapshots/default.snapshot). Every
// setting that a deployment of synth.ts gives is checked here, in stack.test.ts or in roles.test.ts.
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { afterAll, describe, expect, it } from 'vitest';
import { Punctual } from '../../lib/punctual.ts';
import { TABLES } from '../../src/store/dynamodb/tables.ts';
import {
  cleanUp,
  DEPLOYMENTS,
  type DeploymentName,
  synthesizedOnce as of,
  type Properties,
  type Resource,
  schedulerFunctions,
} from './synth.ts';

afterAll(cleanUp);

const INDEXES = TABLES.flatMap(({ indexes }) => indexes).length;

/** The environment of the five functions and of the worker. */
function environments(name: DeploymentName): Record<string, unknown>[] {
  const functions = schedulerFunctions(of(name).ofType('AWS::Lambda::Function')).map(
    ({ Properties: f }) => f.Environment.Variables,
  );
  return [...functions, workerEnvironment(name)];
}

function workerEnvironment(name: DeploymentName): Record<string, unknown> {
  const variables: Properties[] = containerOf(name, 'Worker').Environment;
  return Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value]));
}

const containerOf = (name: DeploymentName, container: string): Properties =>
  of(name)
    .ofType('AWS::ECS::TaskDefinition')
    .flatMap(({ Properties: p }) => p.ContainerDefinitions)
    .find(({ Name }) => Name === container);

/** How many resources of each type a deployment has more than the default one. */
function resourcesBeyondDefault(name: DeploymentName): Record<string, number> {
  const count = (one: DeploymentName, type: string) => of(one).ofType(type).length;
  const types = new Set([name, 'default' as const].flatMap((one) => typesOf(one)));
  const differences = [...types].map((type) => [type, count(name, type) - count('default', type)] as const);
  return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
}

const typesOf = (name: DeploymentName): string[] =>
  Object.values(of(name).resources).map(({ Type }: Resource) => Type);

const alarmOf = (name: DeploymentName, id: RegExp): Properties =>
  Object.entries(of(name).resources).find(
    ([key, { Type }]) => Type === 'AWS::CloudWatch::Alarm' && id.test(key),
  )?.[1].Properties;

const expressionOf = (name: DeploymentName, id: RegExp): string =>
  alarmOf(name, id).Metrics.find((metric: Properties) => metric.Expression).Expression;

/** The metrics that an alarm reads. */
const metricsOf = (name: DeploymentName, id: RegExp): Properties[] =>
  alarmOf(name, id).Metrics.filter((metric: Properties) => metric.MetricStat);

describe.each(Object.keys(DEPLOYMENTS) as DeploymentName[])(
  'every resource of "%s"',
  { timeout: 120_000 },
  (name) => {
    it('has the tag of its stage', () => {
      const { stage = 'dev' } = DEPLOYMENTS[name] as { stage?: string };
      for (const type of [
        'AWS::DynamoDB::Table',
        'AWS::SQS::Queue',
        'AWS::Lambda::Function',
        'AWS::IAM::Role',
      ]) {
        for (const { Properties: resource } of of(name).ofType(type))
          expect(resource.Tags).toContainEqual({ Key: 'punctual:stage', Value: stage });
      }
      of(name).template.hasResourceProperties('AWS::SNS::Topic', { DisplayName: `Punctual ${stage}` });
      of(name).template.hasResourceProperties('AWS::ApiGatewayV2::Api', { Name: `punctual-${stage}` });
    });
  },
);

describe('the settings of "large"', { timeout: 120_000 }, () => {
  const KEY = DEPLOYMENTS.large.kmsKeyArn;

  it('add queues, scaling of capacity, a rule of the watcher and a subscription', () => {
    expect(resourcesBeyondDefault('large')).toEqual({
      'AWS::SQS::Queue': 9,
      'AWS::SQS::QueuePolicy': 9,
      'AWS::ApplicationAutoScaling::ScalableTarget': 2 * (TABLES.length + INDEXES),
      'AWS::ApplicationAutoScaling::ScalingPolicy': 2 * (TABLES.length + INDEXES),
      'AWS::Events::Rule': 1,
      'AWS::Lambda::Permission': 1,
      'AWS::SNS::Subscription': 1,
    });
  });

  it('shards: every runtime gets the number', () => {
    const all = environments('large');
    expect(all).toHaveLength(6);
    for (const environment of all) expect(environment.PUNCTUAL_SHARDS).toBe('256');
  });

  it('watchers: the shards are divided into 8 ranges of 32', () => {
    const inputs = of('large')
      .ofType('AWS::Events::Rule')
      .flatMap(({ Properties: rule }) => rule.Targets.map(({ Input }: Properties) => JSON.parse(Input)));
    expect(inputs).toEqual(Array.from({ length: 8 }, (_, i) => ({ from: 32 * i, to: 32 * (i + 1) })));
  });

  it('queues: every runtime gets all ten addresses in the same order', () => {
    const { resources } = of('large');
    for (const environment of environments('large')) {
      const [separator, parts] = (environment.PUNCTUAL_QUEUE_URLS as Properties)['Fn::Join'];
      const names = parts
        .filter((part: unknown) => part !== ',')
        .map(({ Ref }: Properties) => resources[Ref]?.Properties.QueueName);
      expect(separator).toBe('');
      expect(names).toEqual(Array.from({ length: 10 }, (_, i) => `punctual-prod-work-${i}`));
    }
  });

  it('queues: whoever sends or consumes may do so on all ten', () => {
    const { ofType, resources } = of('large');
    const workQueues = (action: string, policy: RegExp) => {
      const statements: Properties[] = ofType('AWS::IAM::Policy')
        .filter(({ Properties: p }) => policy.test(p.PolicyName))
        .flatMap(({ Properties: p }) => p.PolicyDocument.Statement);
      const names = statements
        .filter(({ Action }) => [Action].flat().includes(action))
        .flatMap(({ Resource }) => [Resource].flat())
        .map((resource) => resources[resource['Fn::GetAtt'][0]]?.Properties.QueueName);
      return new Set(names.filter((queue) => /-work-\d$/.test(queue))).size;
    };
    for (const sender of [
      /SchedulerRole/,
      /IngestConsumerRole/,
      /WatcherFunctionRole/,
      /WorkersTaskTaskRole/,
    ])
      expect(workQueues('sqs:SendMessage', sender)).toBe(10);
    expect(workQueues('sqs:ReceiveMessage', /WorkersTaskTaskRole/)).toBe(10);
  });

  it('queues: alarms read at most ten metrics, and sums are scaled up to all queues', () => {
    expect(expressionOf('default', /MoreWaits/)).toBe('(FILL(q0, 0))');
    const sum = Array.from({ length: 8 }, (_, i) => `FILL(q${i}, 0)`).join(' + ');
    expect(expressionOf('large', /MoreWaits/)).toBe(`(${sum}) * 1.25`);
    expect(metricsOf('large', /MoreWaits/)).toHaveLength(8);
    const ages = Array.from({ length: 4 }, (_, i) => `IF(waiting${i} > 0, age${i}, 0)`).join(', ');
    expect(expressionOf('large', /OldestWaits/)).toBe(`MAX([${ages}])`);
    expect(metricsOf('large', /OldestWaits/)).toHaveLength(8);
    expect(metricsOf('large', /OldestMessage/)).toHaveLength(8);
  });

  it('queues: the dashboard has the age of the oldest message of 8 queues', () => {
    const bodyOf = (name: DeploymentName) =>
      JSON.stringify(of(name).ofType('AWS::CloudWatch::Dashboard')[0]?.Properties.DashboardBody);
    const ages = (name: DeploymentName) => bodyOf(name).split('ApproximateAgeOfOldestMessage').length - 1;
    expect([ages('default'), ages('large')]).toEqual([1, 8]);
  });

  it('workerCpu, workerMemory: the size of the worker', () => {
    of('large').template.hasResourceProperties('AWS::ECS::TaskDefinition', { Cpu: '4096', Memory: '8192' });
  });

  it('minWorkers, maxWorkers: the range of the scaling, its steps and its threshold', () => {
    const { template } = of('large');
    template.hasResourceProperties('AWS::ApplicationAutoScaling::ScalableTarget', {
      ServiceNamespace: 'ecs',
      MinCapacity: 10,
      MaxCapacity: 200,
    });
    expect(stepsOf('large')).toEqual([2, 4, 8, 16, 32, 64, 128, 200]);
    // 100 executions a second for each worker that always runs
    expect(alarmOf('large', /MoreWaits/).Threshold).toBe(1000);
  });

  it('capacity, minCapacity, maxCapacity: tables and indexes have units, scaled at 70 % utilization', () => {
    const { ofType, template } = of('large');
    const units = { ReadCapacityUnits: 1000, WriteCapacityUnits: 1000 };
    for (const { Properties: table } of ofType('AWS::DynamoDB::Table')) {
      // CloudFormation's default is PROVISIONED
      expect(table.BillingMode).toBeUndefined();
      expect(table.ProvisionedThroughput).toEqual(units);
      for (const index of table.GlobalSecondaryIndexes ?? [])
        expect(index.ProvisionedThroughput).toEqual(units);
    }
    const targets = ofType('AWS::ApplicationAutoScaling::ScalableTarget').filter(
      ({ Properties: target }) => target.ServiceNamespace === 'dynamodb',
    );
    expect(targets).toHaveLength(2 * (TABLES.length + INDEXES));
    for (const { Properties: target } of targets)
      expect(target).toMatchObject({ MinCapacity: 1000, MaxCapacity: 40_000 });
    for (const kind of ['Read', 'Write']) {
      const policies = template.findResources('AWS::ApplicationAutoScaling::ScalingPolicy', {
        Properties: {
          TargetTrackingScalingPolicyConfiguration: {
            PredefinedMetricSpecification: { PredefinedMetricType: `DynamoDB${kind}CapacityUtilization` },
            TargetValue: 70,
          },
        },
      });
      expect(Object.keys(policies)).toHaveLength(TABLES.length + INDEXES);
    }
  });

  it('contributorInsights: on for every table and index', () => {
    for (const [name, enabled] of [
      ['default', false],
      ['large', true],
    ] as const) {
      for (const { Properties: table } of of(name).ofType('AWS::DynamoDB::Table')) {
        for (const one of [table, ...(table.GlobalSecondaryIndexes ?? [])])
          expect(one.ContributorInsightsSpecification).toEqual({ Enabled: enabled });
      }
    }
  });

  it('kmsKeyArn: the key of tables, queues, log groups and the alarm topic', () => {
    const { ofType, template } = of('large');
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY },
    });
    template.allResourcesProperties('AWS::SQS::Queue', {
      KmsMasterKeyId: KEY,
      SqsManagedSseEnabled: Match.absent(),
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: KEY });
    template.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: KEY });
    // seven functions, access logs, flow logs and workers
    expect(ofType('AWS::Logs::LogGroup')).toHaveLength(10);
  });

  it('kmsKeyArn: six roles may use the key, and no other', () => {
    const statements: Properties[] = of('large')
      .ofType('AWS::IAM::Policy')
      .flatMap(({ Properties: p }) => p.PolicyDocument.Statement)
      .filter(({ Action }: Properties) =>
        [Action].flat().some((action: string) => action.startsWith('kms:')),
      );
    expect(statements).toEqual(
      Array.from({ length: 6 }, () => ({
        Effect: 'Allow',
        Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
        Resource: KEY,
      })),
    );
  });

  it('alarmEmail: a subscription of the alarm topic', () => {
    const { ofType, resources } = of('large');
    const [topic] = Object.entries(resources).find(([, { Type }]) => Type === 'AWS::SNS::Topic') ?? [];
    expect(ofType('AWS::SNS::Subscription').map(({ Properties: p }) => p)).toEqual([
      { Protocol: 'email', Endpoint: 'on-call@example.com', TopicArn: { Ref: topic } },
    ]);
  });

  it('runbookUrl: every alarm links to it', () => {
    const links = of('large')
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties: alarm }) => alarm.AlarmName !== undefined)
      .map(({ Properties: alarm }) => [alarm.AlarmName, alarm.AlarmDescription.split(' Runbook: ')[1]]);
    expect(links).toHaveLength(15);
    for (const [name, link] of links)
      expect(link).toBe(`https://wiki.example.com/punctual#${name.replace('punctual-prod-', '')}`);
  });

  it('eventBus: every runtime gets its name', () => {
    for (const environment of environments('large')) expect(environment.PUNCTUAL_EVENT_BUS).toBe('jobs');
    for (const environment of environments('default')) expect(environment.PUNCTUAL_EVENT_BUS).toBeUndefined();
  });
});

describe('the settings of "closed"', { timeout: 120_000 }, () => {
  it('add endpoints, a domain and scripts, and leave out the user pool and the way to the internet', () => {
    expect(resourcesBeyondDefault('closed')).toEqual({
      'AWS::Cognito::UserPool': -1,
      'AWS::Cognito::UserPoolClient': -2,
      'AWS::Cognito::UserPoolDomain': -1,
      'AWS::Cognito::UserPoolGroup': -1,
      'AWS::EC2::InternetGateway': -1,
      'AWS::EC2::VPCGatewayAttachment': -1,
      'AWS::EC2::Route': -2,
      'AWS::EC2::VPCEndpoint': 6,
      // of the endpoints and of scripts
      'AWS::EC2::SecurityGroup': 2,
      'AWS::ApiGatewayV2::DomainName': 1,
      'AWS::ApiGatewayV2::ApiMapping': 1,
      'AWS::Route53::RecordSet': 1,
      'AWS::S3::Bucket': 1,
      'AWS::S3::BucketPolicy': 1,
      'AWS::ECS::TaskDefinition': 1,
      'AWS::Logs::LogGroup': 1,
      // of the script and of its agent
      'AWS::IAM::Role': 2,
      'AWS::IAM::Policy': 1,
    });
  });

  it('network: isolated subnets without public addresses', () => {
    const { template } = of('closed');
    template.resourceCountIs('AWS::EC2::Subnet', 2);
    template.allResourcesProperties('AWS::EC2::Subnet', {
      MapPublicIpOnLaunch: false,
      Tags: Match.arrayWith([{ Key: 'aws-cdk:subnet-type', Value: 'Isolated' }]),
    });
    of('default').template.allResourcesProperties('AWS::EC2::Subnet', { MapPublicIpOnLaunch: true });
  });

  it('network: an interface endpoint for each service that workers call, reached by HTTPS from the VPC', () => {
    const { ofType, resources, template } = of('closed');
    const [group, security] =
      Object.entries(resources).find(
        ([id, { Type }]) => Type === 'AWS::EC2::SecurityGroup' && /Endpoints/.test(id),
      ) ?? [];
    expect(security?.Properties.SecurityGroupIngress).toEqual([
      expect.objectContaining({ CidrIp: '10.64.0.0/16', IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }),
    ]);
    // CDK's rule for "no outgoing traffic"
    expect(security?.Properties.SecurityGroupEgress).toMatchObject([{ CidrIp: '255.255.255.255/32' }]);
    const interfaces = ofType('AWS::EC2::VPCEndpoint')
      .map(({ Properties: endpoint }) => endpoint)
      .filter(({ VpcEndpointType }) => VpcEndpointType === 'Interface');
    const services = interfaces.map(({ ServiceName }) => ServiceName['Fn::Join'][1].at(-1));
    // `tracing` adds X-Ray, `scripts` adds ECS
    expect(services.sort()).toEqual(['.ecr.api', '.ecr.dkr', '.ecs', '.logs', '.sqs', '.xray']);
    for (const endpoint of interfaces) {
      expect(endpoint).toMatchObject({
        PrivateDnsEnabled: true,
        SecurityGroupIds: [{ 'Fn::GetAtt': [group, 'GroupId'] }],
      });
      expect(endpoint.SubnetIds).toHaveLength(2);
    }
    const gateways = template.findResources('AWS::EC2::VPCEndpoint', {
      Properties: { VpcEndpointType: 'Gateway' },
    });
    expect(Object.keys(gateways)).toHaveLength(2);
  });

  it('issuer, audience: outputs say whose tokens are accepted', () => {
    const { template, outputs } = of('closed');
    template.hasOutput('*', { Value: 'https://login.example.com/' });
    template.hasOutput('*', { Value: 'punctual,console' });
    expect(Object.keys(outputs).filter((id) => /UserPool/.test(id))).toEqual([]);
    expect(Object.keys(of('default').outputs).filter((id) => /UserPool/.test(id))).toHaveLength(1);
  });

  it('domainName, certificateArn: the domain is mapped to the stage, which waits for it', () => {
    const { resources, template, outputs } = of('closed');
    const [id] =
      Object.entries(resources).find(([, { Type }]) => Type === 'AWS::ApiGatewayV2::DomainName') ?? [];
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'jobs.example.com',
      DomainNameConfigurations: [
        {
          CertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1234abcd',
          EndpointType: 'REGIONAL',
        },
      ],
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      DomainName: { Ref: id },
      Stage: '$default',
    });
    template.hasResource('AWS::ApiGatewayV2::Stage', { DependsOn: Match.arrayWith([id]) });
    const output = (name: RegExp) => Object.entries(outputs).find(([key]) => name.test(key))?.[1].Value;
    expect(output(/Url/)).toEqual({ 'Fn::Join': ['', ['https://', { Ref: id }]] });
    expect(output(/DomainTarget/)).toEqual({ 'Fn::GetAtt': [id, 'RegionalDomainName'] });
  });

  it('hostedZoneId, hostedZoneName: an alias record for the domain', () => {
    of('closed').template.hasResourceProperties('AWS::Route53::RecordSet', {
      Type: 'A',
      Name: 'jobs.example.com.',
      HostedZoneId: 'Z0123456789',
      AliasTarget: {
        DNSName: { 'Fn::GetAtt': [Match.anyValue(), 'RegionalDomainName'] },
        HostedZoneId: { 'Fn::GetAtt': [Match.anyValue(), 'RegionalHostedZoneId'] },
      },
    });
  });

  it('corsOrigins: API Gateway answers preflights of this origin', () => {
    of('closed').template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: ['https://console.example.com'],
        AllowMethods: ['POST', 'GET', 'PATCH', 'DELETE', 'PUT'],
        AllowHeaders: [
          'authorization',
          'content-type',
          'idempotency-key',
          'if-match',
          'if-none-match',
          'prefer',
          'x-request-id',
        ],
        ExposeHeaders: ['etag', 'location', 'x-request-id'],
        MaxAge: 3600,
      },
    });
    of('default').template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: Match.absent(),
    });
  });

  it('warmWritesPerSecond: every table and index but the small table "control" is warmed', () => {
    for (const { Properties: table } of of('closed').ofType('AWS::DynamoDB::Table')) {
      for (const one of [table, ...(table.GlobalSecondaryIndexes ?? [])]) {
        expect(one.WarmThroughput).toEqual(
          one.TableName === 'punctual-closed-control'
            ? undefined
            : { WriteUnitsPerSecond: 30_000, ReadUnitsPerSecond: 40_000 },
        );
      }
    }
  });

  it('retentionDays: every runtime gets the number', () => {
    for (const environment of environments('closed')) expect(environment.PUNCTUAL_RETENTION_DAYS).toBe('365');
    for (const environment of environments('default')) expect(environment.PUNCTUAL_RETENTION_DAYS).toBe('90');
  });

  it('scripts: the bucket accepts TLS only and deletes programs and abandoned uploads after a day', () => {
    const { template } = of('closed');
    template.hasResource('AWS::S3::Bucket', {
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        LifecycleConfiguration: {
          Rules: [
            {
              AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
              ExpirationInDays: 1,
              Status: 'Enabled',
            },
          ],
        },
      },
      DeletionPolicy: 'Retain',
    });
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Deny',
            Action: 's3:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            Resource: Match.anyValue(),
          },
        ],
      },
    });
  });

  it('scripts: the container has a read-only file system, 0.5 vCPU and a role without rights', () => {
    const { resources, template } = of('closed');
    const idOf = (wanted: RegExp) => Object.keys(resources).find((id) => wanted.test(id));
    template.hasResourceProperties('AWS::ECS::TaskDefinition', {
      Cpu: '512',
      Memory: '1024',
      NetworkMode: 'awsvpc',
      RuntimePlatform: { CpuArchitecture: 'ARM64', OperatingSystemFamily: 'LINUX' },
      TaskRoleArn: { 'Fn::GetAtt': [idOf(/ScriptsNothing/), 'Arn'] },
      ExecutionRoleArn: { 'Fn::GetAtt': [idOf(/ScriptsTaskExecutionRole(?!Default)/), 'Arn'] },
      Volumes: [{ Name: 'tmp' }],
      ContainerDefinitions: [
        {
          Name: 'Script',
          Essential: true,
          Image: Match.anyValue(),
          ReadonlyRootFilesystem: true,
          MountPoints: [{ ContainerPath: '/tmp', SourceVolume: 'tmp', ReadOnly: false }],
          LogConfiguration: {
            LogDriver: 'awslogs',
            Options: {
              'awslogs-group': { Ref: idOf(/ScriptsLogs/) },
              'awslogs-stream-prefix': 'script',
              'awslogs-region': { Ref: 'AWS::Region' },
            },
          },
        },
      ],
    });
  });

  it('scripts: the execution role may pull the image and write the log', () => {
    const [policy] = Object.entries(of('closed').resources)
      .filter(([id, { Type }]) => Type === 'AWS::IAM::Policy' && /ScriptsTaskExecutionRole/.test(id))
      .map(([, resource]) => resource);
    const actions = policy?.Properties.PolicyDocument.Statement.map(({ Action }: Properties) => Action);
    expect(actions).toEqual([
      ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
      'ecr:GetAuthorizationToken',
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
    ]);
  });

  it('scripts: containers may call by HTTPS only and accept no connections', () => {
    const [, group] =
      Object.entries(of('closed').resources).find(
        ([id, { Type }]) => Type === 'AWS::EC2::SecurityGroup' && /Scripts/.test(id),
      ) ?? [];
    expect(group?.Properties.SecurityGroupIngress).toBeUndefined();
    expect(group?.Properties.SecurityGroupEgress).toEqual([
      { CidrIp: '0.0.0.0/0', Description: 'HTTPS', IpProtocol: 'tcp', FromPort: 443, ToPort: 443 },
    ]);
  });

  it('scripts: API and workers get the cluster, the subnets, the bucket and the security group', () => {
    const { resources } = of('closed');
    const idOf = (wanted: RegExp) => Object.keys(resources).find((id) => wanted.test(id));
    const subnets = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::EC2::Subnet');
    const [first, second] = subnets.map(([Ref]) => ({ Ref }));
    const withScripts = environments('closed').filter((one) => one.PUNCTUAL_SCRIPT_BUCKET !== undefined);
    expect(withScripts).toHaveLength(4);
    for (const environment of withScripts)
      expect(environment).toMatchObject({
        PUNCTUAL_CONTAINER_CLUSTER: { Ref: idOf(/WorkersCluster[0-9A-F]{8}$/) },
        PUNCTUAL_CONTAINER_SUBNETS: { 'Fn::Join': ['', [first, ',', second]] },
        PUNCTUAL_CONTAINER_PUBLIC_IP: 'false',
        PUNCTUAL_SCRIPT_BUCKET: { Ref: idOf(/ScriptsBucket(?!Policy)/) },
        PUNCTUAL_SCRIPT_SECURITY_GROUPS: { 'Fn::GetAtt': [idOf(/ScriptsNetwork/), 'GroupId'] },
      });
  });

  it('tracing, traceSampling: the worker gets both', () => {
    expect(workerEnvironment('closed')).toMatchObject({
      PUNCTUAL_TRACING: 'on',
      PUNCTUAL_TRACE_SAMPLING: '0.05',
    });
    expect(workerEnvironment('default')).not.toHaveProperty('PUNCTUAL_TRACING');
    expect(workerEnvironment('default')).not.toHaveProperty('PUNCTUAL_TRACE_SAMPLING');
  });
});

describe('the settings of "small"', { timeout: 120_000 }, () => {
  it('leave out the VPC with all that belongs to it, and add clients for services', () => {
    expect(resourcesBeyondDefault('small')).toEqual({
      'AWS::EC2::VPC': -1,
      'AWS::EC2::Subnet': -2,
      'AWS::EC2::RouteTable': -2,
      'AWS::EC2::SubnetRouteTableAssociation': -2,
      'AWS::EC2::Route': -2,
      'AWS::EC2::InternetGateway': -1,
      'AWS::EC2::VPCGatewayAttachment': -1,
      'AWS::EC2::VPCEndpoint': -2,
      'AWS::EC2::FlowLog': -1,
      // of the flow logs
      'AWS::IAM::Role': -1,
      'AWS::IAM::Policy': -1,
      'AWS::Logs::LogGroup': -1,
      'AWS::Cognito::UserPoolClient': 2,
      'AWS::Cognito::UserPoolResourceServer': 1,
      // docs: false
      'AWS::ApiGatewayV2::Route': -2,
      'AWS::Lambda::Permission': -2,
    });
  });

  it('docs: false leaves out the page, and its function and the console know of it', () => {
    const keys = of('small')
      .ofType('AWS::ApiGatewayV2::Route')
      .map(({ Properties: r }) => r.RouteKey);
    expect(keys.filter((key) => /docs|openapi/.test(key))).toEqual(['GET /openapi.json']);
    const variables = of('small')
      .ofType('AWS::Lambda::Function')
      .map(({ Properties: f }) => f.Environment.Variables);
    expect(variables.filter((one) => one.PUNCTUAL_DOCS === 'off')).toHaveLength(1);
    expect(variables.filter((one) => one.PUNCTUAL_CONSOLE_DOCS === 'off')).toHaveLength(1);
  });

  it('serviceClients: each gets a client with a secret, for client credentials alone', () => {
    const { ofType, resources, template } = of('small');
    const idOf = (type: string) => Object.entries(resources).find(([, { Type }]) => Type === type)?.[0];
    const services = ofType('AWS::Cognito::UserPoolClient').filter(({ Properties: c }) => c.GenerateSecret);
    expect(services.map(({ Properties: client }) => client.ClientName).sort()).toEqual([
      'punctual-try-billing',
      'punctual-try-reports',
    ]);
    const server = { Ref: idOf('AWS::Cognito::UserPoolResourceServer') };
    for (const { Properties: client } of services)
      expect(client).toMatchObject({
        AllowedOAuthFlows: ['client_credentials'],
        AllowedOAuthScopes: [{ 'Fn::Join': ['', [server, '/jobs']] }],
        ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
        AccessTokenValidity: 60,
      });
    template.hasResourceProperties('AWS::Cognito::UserPoolResourceServer', {
      Identifier: 'punctual',
      Scopes: [{ ScopeName: 'jobs' }],
    });
  });

  it('serviceClients: API Gateway accepts their tokens, and outputs name the clients and where their tokens come from', () => {
    const { ofType, resources, outputs } = of('small');
    const clients = Object.entries(resources)
      .filter(([, { Type }]) => Type === 'AWS::Cognito::UserPoolClient')
      .map(([Ref]) => ({ Ref }));
    // of people, two services and the console
    expect(clients).toHaveLength(4);
    expect(ofType('AWS::ApiGatewayV2::Authorizer')[0]?.Properties.JwtConfiguration.Audience).toEqual(clients);
    const output = (name: RegExp) =>
      JSON.stringify(Object.entries(outputs).find(([key]) => name.test(key))?.[1].Value);
    expect(output(/ServiceClients/)).toMatch(/"billing=",.*",reports=",/);
    expect(output(/TokenUrl/)).toContain('/oauth2/token');
    expect(Object.keys(of('default').outputs).filter((id) => /Service|TokenUrl/.test(id))).toEqual([]);
  });

  it('serviceClients: the domain has a name of this stack, because names are unique in a region', () => {
    const [domain] = of('small').ofType('AWS::Cognito::UserPoolDomain');
    expect(JSON.stringify(domain?.Properties.Domain)).toMatch(/"punctual-try-",.*AWS::StackId/);
  });

  it('vpcId: the security group of workers is in it', () => {
    of('small').template.hasResourceProperties('AWS::EC2::SecurityGroup', { VpcId: 'vpc-0a1b2c3d' });
  });

  it('removalPolicy: everything with data is deleted with the stack, and kept by default', () => {
    for (const [name, policy, protection] of [
      ['default', 'Retain', 'ACTIVE'],
      ['small', 'Delete', 'INACTIVE'],
    ] as const) {
      const { ofType } = of(name);
      const kept = ['AWS::DynamoDB::Table', 'AWS::Logs::LogGroup', 'AWS::Cognito::UserPool'].flatMap(ofType);
      for (const resource of kept)
        expect(resource).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
      expect(ofType('AWS::Cognito::UserPool')[0]?.Properties.DeletionProtection).toBe(protection);
    }
  });

  it('watcherReservedConcurrency: 0 reserves none', () => {
    for (const { Properties: lambda } of of('small').ofType('AWS::Lambda::Function'))
      expect(lambda).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('workerCpu, workerMemory: the size of the worker', () => {
    of('small').template.hasResourceProperties('AWS::ECS::TaskDefinition', { Cpu: '256', Memory: '512' });
  });

  it('minWorkers, maxWorkers: the range of the scaling, its steps and its threshold', () => {
    of('small').template.hasResourceProperties('AWS::ApplicationAutoScaling::ScalableTarget', {
      MinCapacity: 1,
      MaxCapacity: 2,
    });
    expect(stepsOf('small')).toEqual([2, 2]);
    expect(alarmOf('small', /MoreWaits/).Threshold).toBe(100);
  });

  it('logRetentionDays: the retention of every log group', () => {
    of('small').template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
    of('default').template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });
});

describe('the settings of "signed"', { timeout: 120_000 }, () => {
  it('leave out the user pool and the console, because requests are signed', () => {
    expect(resourcesBeyondDefault('signed')).toEqual({
      'AWS::Cognito::UserPool': -1,
      'AWS::Cognito::UserPoolClient': -2,
      'AWS::Cognito::UserPoolDomain': -1,
      'AWS::Cognito::UserPoolGroup': -1,
      'AWS::ApiGatewayV2::Authorizer': -1,
      // of the console
      'AWS::ApiGatewayV2::Integration': -1,
      'AWS::ApiGatewayV2::Route': -3,
      'AWS::Lambda::Function': -1,
      'AWS::Lambda::Permission': -3,
      'AWS::IAM::Role': -1,
      'AWS::IAM::Policy': -1,
      'AWS::Logs::LogGroup': -1,
    });
  });

  it('authorization: a role that is granted the API may call it, and nothing else', () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Signed');
    const punctual = new Punctual(stack, 'Punctual', {
      authorization: 'iam',
      workerImage: ContainerImage.fromRegistry('none'),
    });
    const role = new Role(stack, 'Caller', { assumedBy: new AccountRootPrincipal() });
    punctual.grantInvoke(role);
    const [policy] = Object.entries(Template.fromStack(stack).findResources('AWS::IAM::Policy'))
      .filter(([id]) => /^Caller/.test(id))
      .map(([, { Properties: p }]) => p.PolicyDocument.Statement);
    expect(policy).toMatchObject([{ Effect: 'Allow', Action: 'execute-api:Invoke' }]);
    expect(JSON.stringify(policy[0].Resource)).toMatch(/:execute-api:.*\/\$default\/\*\/\*"/);
  });
});

/** The numbers of workers that the steps of scaling out ahead of the load add. */
function stepsOf(name: DeploymentName): number[] {
  const [, policy] =
    Object.entries(of(name).resources).find(([id]) => /ScalingAhead[0-9A-F]{8}$/.test(id)) ?? [];
  const steps: Properties[] = policy?.Properties.StepScalingPolicyConfiguration.StepAdjustments;
  // bounds count from the threshold, which is one missing worker: 0, 1, 3, 7 …
  steps.forEach((step, i) => {
    expect(step.MetricIntervalLowerBound).toBe(2 ** i - 1);
    expect(step.MetricIntervalUpperBound).toBe(i === steps.length - 1 ? undefined : 2 ** (i + 1) - 1);
  });
  return steps.map(({ ScalingAdjustment }) => ScalingAdjustment);
}
