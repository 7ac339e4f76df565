// The templates of five deployments.
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/contract.ts';
import { DEAD_LETTERS, INGEST_QUEUE, WORK_QUEUE } from '../../src/queue/sqs/queue-definitions.ts';
import { TABLES, TTL_ATTRIBUTE } from '../../src/store/dynamodb/tables.ts';
import {
  cleanUp,
  DEPLOYMENT_NAMES,
  type DeploymentName,
  synthesizedOnce as of,
  type Properties,
  type Synthesized,
  withOwnKey,
} from './synth.ts';

afterAll(cleanUp);

const PREFIXES = {
  default: 'punctual-dev-',
  large: 'punctual-prod-',
  closed: 'punctual-closed-',
  small: 'punctual-try-',
  signed: 'punctual-signed-',
};

describe.each(DEPLOYMENT_NAMES)('the deployment "%s"', { timeout: 120_000 }, (name) => {
  it('is synthesized offline, and cdk-nag has no finding without a reason', () => {
    expect(Object.keys(of(name).resources).length).toBeGreaterThan(50);
  });

  it('has the tables of the schema, key by key and index by index', () => {
    const found = of(name).ofType('AWS::DynamoDB::Table');
    expect(found).toHaveLength(TABLES.length);
    for (const schema of TABLES) {
      const table = found.find(
        ({ Properties: { TableName } }) => TableName === `${PREFIXES[name]}${schema.name}`,
      );
      const keys = (of: { partitionKey: string; sortKey?: string }) => [
        { AttributeName: of.partitionKey, KeyType: 'HASH' },
        ...(of.sortKey ? [{ AttributeName: of.sortKey, KeyType: 'RANGE' }] : []),
      ];
      expect(table?.Properties.KeySchema).toEqual(keys(schema));
      expect(table?.Properties.TimeToLiveSpecification).toEqual({
        AttributeName: TTL_ATTRIBUTE,
        Enabled: true,
      });
      expect(table?.Properties.PointInTimeRecoverySpecification).toEqual({
        PointInTimeRecoveryEnabled: true,
      });
      const indexes = (table?.Properties.GlobalSecondaryIndexes ?? []).map((index: Properties) => ({
        IndexName: index.IndexName,
        KeySchema: index.KeySchema,
        Projection: index.Projection,
      }));
      expect(indexes).toEqual(
        schema.indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keys(index),
          Projection:
            index.include.length === 0
              ? { ProjectionType: 'KEYS_ONLY' }
              : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.include] },
        })),
      );
    }
  });

  it('has encrypted queues with the settings of local mode, TLS only and dead-letter queues', () => {
    const { resources, ofType } = of(name);
    const queues: Record<string, Properties> = Object.fromEntries(
      ofType('AWS::SQS::Queue').map((q) => [q.Properties.QueueName, q.Properties]),
    );
    const prefix = PREFIXES[name];
    const idOf = (queueName: string) =>
      Object.entries(resources).find(([, r]) => r.Properties?.QueueName === queueName)?.[0];
    const work = Object.keys(queues).filter((queue) => queue.startsWith(`${prefix}work-`));
    expect(work).toHaveLength(name === 'large' ? 10 : 1);
    for (const queue of work) {
      expect(queues[queue]).toMatchObject({
        VisibilityTimeout: WORK_QUEUE.visibilitySeconds,
        MessageRetentionPeriod: WORK_QUEUE.retentionSeconds,
        RedrivePolicy: {
          maxReceiveCount: WORK_QUEUE.maxReceiveCount,
          deadLetterTargetArn: { 'Fn::GetAtt': [idOf(`${prefix}dead-letters`), 'Arn'] },
        },
      });
    }
    expect(queues[`${prefix}ingest`]).toMatchObject({
      VisibilityTimeout: INGEST_QUEUE.visibilitySeconds,
      RedrivePolicy: { maxReceiveCount: INGEST_QUEUE.maxReceiveCount },
    });
    expect(queues[`${prefix}dead-letters`].MessageRetentionPeriod).toBe(DEAD_LETTERS.retentionSeconds);
    for (const queue of Object.values(queues)) {
      expect(queue.SqsManagedSseEnabled === true || queue.KmsMasterKeyId !== undefined).toBe(true);
      // every message has its own delay
      expect(queue.DelaySeconds).toBeUndefined();
    }
    const tlsOnly = ofType('AWS::SQS::QueuePolicy').filter(({ Properties: { PolicyDocument } }) =>
      PolicyDocument.Statement.some(
        (s: Properties) => s.Effect === 'Deny' && s.Condition?.Bool?.['aws:SecureTransport'] === 'false',
      ),
    );
    expect(tlsOnly).toHaveLength(Object.keys(queues).length);
  });

  it('has a route for every operation of the contract, which requires a token or a signature if the contract does', () => {
    const routes = of(name).ofType('AWS::ApiGatewayV2::Route');
    const found = routes.map(
      ({ Properties: { RouteKey, AuthorizationType } }) => `${RouteKey} ${AuthorizationType}`,
    );
    const kind = name === 'signed' ? 'AWS_IAM' : 'JWT';
    const left = operations.filter(({ path }) => name !== 'small' || !path.startsWith('/docs'));
    const wanted = left.map(({ method, path, auth }) => `${method} ${path} ${auth ? kind : 'NONE'}`);
    const console =
      name === 'signed' ? [] : ['GET / NONE', 'GET /console NONE', 'GET /console/{proxy+} NONE'];
    // $default answers unknown paths
    expect(found.sort()).toEqual([...wanted, ...console, '$default NONE'].sort());
    const [stage] = of(name).ofType('AWS::ApiGatewayV2::Stage');
    expect(stage?.Properties.AccessLogSettings.DestinationArn).toBeDefined();
    expect(stage?.Properties.DefaultRouteSettings).toMatchObject({
      ThrottlingRateLimit: 1000,
      ThrottlingBurstLimit: 2000,
    });
  });

  it('throttles every route without a token, each by itself, and leaves the functions of the API alone', () => {
    const { ofType, resources } = of(name);
    const open = ofType('AWS::ApiGatewayV2::Route')
      .filter(({ Properties: { AuthorizationType } }) => AuthorizationType === 'NONE')
      .map(({ Properties: route }) => route);
    const [stage] = ofType('AWS::ApiGatewayV2::Stage');
    const settings = stage?.Properties.RouteSettings as Record<string, Properties>;
    expect(Object.keys(settings).sort()).toEqual(open.map(({ RouteKey }) => RouteKey).sort());
    for (const [key, { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }] of Object.entries(
      settings,
    )) {
      const isFiles = key === 'GET /console/{proxy+}';
      expect([key, rate, burst]).toEqual([key, isFiles ? 50 : 20, isFiles ? 200 : 40]);
    }
    // the stage would be refused before its routes are there
    const routes = Object.entries(resources).filter(
      ([, { Type, Properties: p }]) => Type === 'AWS::ApiGatewayV2::Route' && p.AuthorizationType === 'NONE',
    );
    expect((stage as { DependsOn?: string[] } | undefined)?.DependsOn).toEqual(
      expect.arrayContaining(routes.map(([id]) => id)),
    );
    // the health check writes to the store, so it is the only one that reaches a function of the API
    const reachedBy = (key: string) => {
      const target = JSON.stringify(open.find(({ RouteKey }) => RouteKey === key)?.Target);
      const integration = Object.entries(resources).find(
        ([id, { Type }]) => Type === 'AWS::ApiGatewayV2::Integration' && target?.includes(id),
      );
      return JSON.stringify(integration?.[1].Properties.IntegrationUri);
    };
    for (const { RouteKey: key } of open)
      expect([key, /Scheduler|Query/.test(reachedBy(key))]).toEqual([key, key === 'GET /health']);
  });

  it('reserves concurrency for each function that requests reach, unless the account has none to reserve', () => {
    const reserved = of(name)
      .ofType('AWS::Lambda::Function')
      .map(({ Properties: f }) => [f.Description, f.ReservedConcurrentExecutions]);
    const expected: [string, number][] = [
      ['API operations that write', 300],
      ['API operations that read', 300],
      ['serves the API documentation, and answers unknown paths', 10],
      ...(name === 'signed' ? [] : ([['serves the web console', 50]] as [string, number][])),
    ];
    for (const [description, most] of expected)
      expect(reserved).toContainEqual([description, name === 'small' ? undefined : most]);
  });

  it('runs Node 24 on Graviton, and every function has its own program and role', () => {
    const functions = of(name).ofType('AWS::Lambda::Function');
    const count = name === 'signed' ? 6 : 7;
    expect(functions).toHaveLength(count);
    for (const { Properties: f } of functions) {
      expect(f).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    }
    expect(new Set(functions.map(({ Properties: f }) => JSON.stringify(f.Role))).size).toBe(count);
  });

  it('has workers that accept no connections, drain in time and are rolled back if they do not start', () => {
    const { ofType } = of(name);
    const [task] = ofType('AWS::ECS::TaskDefinition');
    const [service] = ofType('AWS::ECS::Service');
    const [container] = task?.Properties.ContainerDefinitions ?? [];
    expect(task?.Properties.RuntimePlatform).toEqual({
      CpuArchitecture: 'ARM64',
      OperatingSystemFamily: 'LINUX',
    });
    expect(container).toMatchObject({ ReadonlyRootFilesystem: true, StopTimeout: 120 });
    expect(container.PortMappings ?? []).toEqual([]);
    expect(container.HealthCheck.Command[1]).toContain('punctual-alive');
    expect(service?.Properties.DeploymentConfiguration).toMatchObject({
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      MinimumHealthyPercent: 100,
    });
    expect(service?.Properties.DesiredCount).toBeUndefined();
    const workers = ofType('AWS::EC2::SecurityGroup').find((g) =>
      /workers/.test(g.Properties.GroupDescription),
    );
    expect(workers?.Properties.SecurityGroupIngress).toBeUndefined();
    expect(ofType('AWS::EC2::NatGateway')).toEqual([]);
  });

  it('creates workers after the capacity providers of the cluster', () => {
    const [association] = Object.entries(of(name).resources).filter(
      ([, { Type }]) => Type === 'AWS::ECS::ClusterCapacityProviderAssociations',
    );
    const services = of(name).ofType('AWS::ECS::Service') as { DependsOn?: string[] }[];
    expect(association).toBeDefined();
    expect(services.length).toBe(1);
    for (const service of services) expect(service.DependsOn).toContain(association?.[0]);
  });

  it('passes the tags of the service on to its tasks', () => {
    expect(of(name).ofType('AWS::ECS::Service')[0]?.Properties).toMatchObject({
      PropagateTags: 'SERVICE',
      EnableECSManagedTags: true,
    });
  });

  it('ends task protection well before CloudFormation gives up on a service update (3 hours)', () => {
    const [worker] = of(name)
      .ofType('AWS::ECS::TaskDefinition')
      .flatMap(({ Properties: p }) => p.ContainerDefinitions)
      .filter((container: Properties) => container.Name === 'Worker');
    const minutes = worker.Environment.find((v: Properties) => v.Name === 'PUNCTUAL_PROTECT_MINUTES')?.Value;
    expect(Number(minutes)).toBeGreaterThan(0);
    expect(Number(minutes)).toBeLessThanOrEqual(165);
  });

  it('writes access logs to a group for vended logs, whose resource policy does not grow with each API', () => {
    const groups = of(name)
      .ofType('AWS::Logs::LogGroup')
      .map(({ Properties: group }) => JSON.stringify(group.LogGroupName ?? ''));
    const access = groups.filter((group) => group.includes('/aws/vendedlogs/'));
    expect(access).toHaveLength(1);
    expect(access[0]).toContain(`/aws/vendedlogs/${PREFIXES[name]}api-access-`);
  });

  it('scales workers with the service-linked role of Application Auto Scaling', () => {
    const assumed = of(name)
      .ofType('AWS::IAM::Role')
      .map(({ Properties: role }) => JSON.stringify(role.AssumeRolePolicyDocument));
    expect(assumed.filter((document) => document.includes('application-autoscaling'))).toEqual([]);
    const [target] = of(name)
      .ofType('AWS::ApplicationAutoScaling::ScalableTarget')
      .filter(({ Properties: t }) => t.ServiceNamespace === 'ecs');
    expect(JSON.stringify(target?.Properties.RoleARN)).toContain(
      'AWSServiceRoleForApplicationAutoScaling_ECSService',
    );
  });

  it('lets alarms publish to the alarm topic', () => {
    const statements = of(name)
      .ofType('AWS::SNS::TopicPolicy')
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    expect(statements).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
      }),
    );
  });

  it('invokes the watcher once a minute for every shard, without retries', () => {
    const rules = of(name).ofType('AWS::Events::Rule');
    const targets = rules.flatMap((rule) => rule.Properties.Targets);
    const ranges = targets.map(({ Input }) => JSON.parse(Input) as { from: number; to: number });
    const shards = ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
    expect(shards.sort((a, b) => a - b)).toEqual(
      Array.from({ length: name === 'large' ? 256 : 16 }, (_, i) => i),
    );
    for (const rule of rules) {
      expect(rule.Properties.ScheduleExpression).toBe('rate(1 minute)');
      expect(rule.Properties.Targets.length).toBeLessThanOrEqual(5);
    }
    for (const target of targets) expect(target.RetryPolicy.MaximumRetryAttempts).toBe(0);
    const [invoke] = of(name).ofType('AWS::Lambda::EventInvokeConfig');
    expect(invoke?.Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    });
  });

  it('has alarms with a link to the runbook', () => {
    const alarms = of(name)
      .ofType('AWS::CloudWatch::Alarm')
      .map(({ Properties }) => Properties);
    const forPeople = alarms.filter(
      ({ AlarmDescription }) => !AlarmDescription.startsWith('Scaling trigger'),
    );
    expect(forPeople.map(({ AlarmName }) => AlarmName.replace(PREFIXES[name], '')).sort()).toEqual(
      ['api-errors', 'dead-letters', 'dispatch-lag', 'failed-passes', 'failure-rate', 'index-throttles', 'ingest-dead-letters', 'lambda-errors', 'late', 'no-workers',
        'notify-dead-letters', 'oldest-message', 'settle-corrections', 'throttles', 'wrong-clock'], // biome-ignore format: a list
    );
    for (const alarm of forPeople) {
      expect(alarm.AlarmDescription).toMatch(/ Runbook: \S+#[a-z-]+$/);
      expect(alarm.AlarmActions).toHaveLength(1);
      expect((alarm.Metrics ?? []).filter((m: Properties) => m.MetricStat).length).toBeLessThanOrEqual(10);
    }
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    for (const { AlarmDescription } of forPeople)
      expect(runbook).toContain(`\n## ${AlarmDescription.split('#').at(-1)}\n`);
    // a metric without data in a minute would make every sum with it unknown
    const added = forPeople.flatMap(({ Metrics = [] }) => Metrics.map((m: Properties) => m.Expression ?? ''));
    for (const expression of added.filter((text: string) => /METRICS\(\)|\+/.test(text)))
      expect(expression).toContain('FILL(');
    for (const section of ['dispatch-lag', 'no-workers'])
      expect(forPeople.find(({ AlarmName }) => AlarmName.endsWith(section)).TreatMissingData).toBe(
        'breaching',
      );
  });

  it('has no bucket, or one that only its workers can read', () => {
    const buckets = of(name).ofType('AWS::S3::Bucket');
    expect(buckets).toHaveLength(name === 'closed' ? 1 : 0);
    for (const { Properties: bucket } of buckets) {
      const blocked = ['BlockPublicAcls', 'BlockPublicPolicy', 'IgnorePublicAcls', 'RestrictPublicBuckets'];
      expect(bucket.PublicAccessBlockConfiguration).toEqual(
        Object.fromEntries(blocked.map((what) => [what, true])),
      );
      expect(bucket.BucketEncryption).toBeDefined();
      expect(bucket.LifecycleConfiguration.Rules).toMatchObject([{ ExpirationInDays: 1, Status: 'Enabled' }]);
    }
    for (const { Properties: policy } of of(name).ofType('AWS::S3::BucketPolicy'))
      expect(policy.PolicyDocument.Statement.map((s: Properties) => s.Effect)).toEqual(['Deny']);
  });
});

describe('the default deployment', { timeout: 120_000 }, () => {
  it('has the template of the snapshot', async () => {
    await expect(stable(of('default'))).toMatchFileSnapshot('snapshots/default.snapshot');
  });
});

describe('settings', () => {
  it('removalPolicy: data outlives the stack by default', () => {
    for (const [name, policy, isProtected] of [
      ['default', 'Retain', true],
      ['small', 'Delete', false],
    ] as const) {
      for (const table of of(name).ofType('AWS::DynamoDB::Table')) {
        expect(table.DeletionPolicy).toBe(policy);
        expect(table.UpdateReplacePolicy).toBe(policy);
        expect(table.Properties.DeletionProtectionEnabled).toBe(isProtected);
      }
    }
    expect(of('default').ofType('AWS::Cognito::UserPool')[0]?.DeletionPolicy).toBe('Retain');
  });

  it('capacity: on demand, warmed, or provisioned with every table and index scaled', () => {
    for (const table of of('default').ofType('AWS::DynamoDB::Table')) {
      expect(table.Properties.BillingMode).toBe('PAY_PER_REQUEST');
      expect(table.Properties.WarmThroughput).toBeUndefined();
    }
    const warm = of('closed')
      .ofType('AWS::DynamoDB::Table')
      .map(({ Properties: t }) => [t.TableName, t.WarmThroughput]);
    expect(Object.fromEntries(warm)['punctual-closed-timetable']).toEqual({
      WriteUnitsPerSecond: 30_000,
      ReadUnitsPerSecond: 40_000,
    });
    const scaled = of('large')
      .ofType('AWS::ApplicationAutoScaling::ScalableTarget')
      .map(({ Properties }) => Properties.ScalableDimension);
    const indexes = TABLES.flatMap((table) => table.indexes).length;
    expect(scaled.filter((dimension) => /^dynamodb:table/.test(dimension))).toHaveLength(2 * TABLES.length);
    expect(scaled.filter((dimension) => /^dynamodb:index/.test(dimension))).toHaveLength(2 * indexes);
  });

  it('a customer key encrypts tables and queues, and roles may use it', () => {
    const { ofType } = of('large');
    for (const { Properties: table } of ofType('AWS::DynamoDB::Table'))
      expect(table.SSESpecification.SSEType).toBe('KMS');
    for (const { Properties: queue } of ofType('AWS::SQS::Queue')) expect(queue.KmsMasterKeyId).toBeDefined();
    const using = ofType('AWS::IAM::Policy').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('kms:Decrypt'),
    );
    expect(using).toHaveLength(6);
  });

  it('a customer key encrypts every log group and the alarm topic, and its policy lets their services use it', () => {
    const { ofType } = of('large');
    for (const { Properties: group } of ofType('AWS::Logs::LogGroup')) expect(group.KmsKeyId).toBeDefined();
    for (const { Properties: topic } of ofType('AWS::SNS::Topic')) expect(topic.KmsMasterKeyId).toBeDefined();
    for (const { Properties: group } of of('default').ofType('AWS::Logs::LogGroup'))
      expect(group.KmsKeyId).toBeUndefined();
    const { resources } = withOwnKey();
    const [key] = Object.values(resources).filter(({ Type }) => Type === 'AWS::KMS::Key');
    const services = key?.Properties.KeyPolicy.Statement.map((s: Properties) => s.Principal.Service);
    expect(services).toContain('cloudwatch.amazonaws.com');
    expect(JSON.stringify(services)).toContain('"logs."');
  });

  it('a custom domain is the only address of the API', () => {
    const disabled = (name: DeploymentName) =>
      of(name).ofType('AWS::ApiGatewayV2::Api')[0]?.Properties.DisableExecuteApiEndpoint;
    expect(disabled('closed')).toBe(true);
    expect(disabled('default')).not.toBe(true);
  });

  it('scripts are started by task definition family, so that workers of the previous deployment can start them', () => {
    const { ofType, resources } = of('closed');
    const [id] = Object.entries(resources).find(
      ([, { Type, Properties: p }]) =>
        Type === 'AWS::ECS::TaskDefinition' && p.ContainerDefinitions[0].Name === 'Script',
    ) ?? [''];
    const { Family: family } = resources[id]?.Properties ?? {};
    const worker = ofType('AWS::ECS::TaskDefinition').find(
      ({ Properties: p }) => p.ContainerDefinitions[0].Name === 'Worker',
    );
    expect(worker?.Properties.ContainerDefinitions[0].Environment).toContainEqual({
      Name: 'PUNCTUAL_SCRIPT_TASK_DEFINITION',
      Value: family,
    });
    const run = ofType('AWS::IAM::Policy')
      .flatMap(({ Properties: p }) => p.PolicyDocument.Statement)
      .filter((s: Properties) => s.Action === 'ecs:RunTask');
    expect(run).toHaveLength(1);
    expect(JSON.stringify(run[0].Resource)).toContain(`:task-definition/${family}:*`);
  });

  it('warm throughput stays within the quota of a table', () => {
    const units = (name: string) =>
      of('closed')
        .ofType('AWS::DynamoDB::Table')
        .find(({ Properties: t }) => t.TableName === `punctual-closed-${name}`)?.Properties;
    const timetable = units('timetable').WarmThroughput;
    const [index] = units('executions').GlobalSecondaryIndexes;
    for (const { WriteUnitsPerSecond: writes, ReadUnitsPerSecond: reads } of [
      timetable,
      index.WarmThroughput,
    ]) {
      expect(writes).toBeLessThanOrEqual(40_000);
      expect(reads).toBeLessThanOrEqual(40_000);
    }
  });

  it('spotShare: the share of Spot capacity, with the first worker on demand', () => {
    const strategyOf = (name: DeploymentName) =>
      of(name).ofType('AWS::ECS::Service')[0]?.Properties.CapacityProviderStrategy;
    expect(strategyOf('default')).toEqual([{ CapacityProvider: 'FARGATE', Weight: 1 }]);
    expect(strategyOf('large')).toEqual([
      { CapacityProvider: 'FARGATE', Base: 1, Weight: 30 },
      { CapacityProvider: 'FARGATE_SPOT', Weight: 70 },
    ]);
    expect(strategyOf('small')).toEqual([{ CapacityProvider: 'FARGATE_SPOT', Weight: 1 }]);
  });

  it('network: public subnets with addresses, isolated ones with endpoints, or those of an existing VPC', () => {
    const network = (name: DeploymentName) =>
      of(name).ofType('AWS::ECS::Service')[0]?.Properties.NetworkConfiguration.AwsvpcConfiguration;
    expect(network('default').AssignPublicIp).toBe('ENABLED');
    expect(network('closed').AssignPublicIp).toBe('DISABLED');
    expect(of('closed').ofType('AWS::EC2::InternetGateway')).toEqual([]);
    expect(of('closed').ofType('AWS::EC2::VPCEndpoint')).toHaveLength(8);
    expect(network('small').Subnets).toEqual(['subnet-0a1b2c3d', 'subnet-1a1b2c3d']);
    expect(of('small').ofType('AWS::EC2::VPC')).toEqual([]);
  });

  it('issuer: its tokens are accepted, and there is no user pool', () => {
    expect(of('default').ofType('AWS::Cognito::UserPool')).toHaveLength(1);
    expect(of('closed').ofType('AWS::Cognito::UserPool')).toEqual([]);
    expect(of('closed').ofType('AWS::ApiGatewayV2::Authorizer')[0]?.Properties.JwtConfiguration).toEqual({
      Issuer: 'https://login.example.com/',
      Audience: ['punctual', 'console'],
    });
  });

  it('authorization: signed requests need no user pool and no authorizer of the API', () => {
    const { ofType, outputs } = of('signed');
    expect(ofType('AWS::Cognito::UserPool')).toEqual([]);
    expect(ofType('AWS::ApiGatewayV2::Authorizer')).toEqual([]);
    expect(Object.keys(outputs).filter((id) => /Issuer|Audience|UserPool/.test(id))).toEqual([]);
    const userOf = (name: DeploymentName) =>
      JSON.parse(of(name).ofType('AWS::ApiGatewayV2::Stage')[0]?.Properties.AccessLogSettings.Format).user;
    expect([userOf('default'), userOf('signed')]).toEqual([
      '$context.authorizer.claims.sub',
      '$context.identity.userArn',
    ]);
  });

  it('operatorRoles: the functions get the ARNs, separated by spaces', () => {
    const rolesOf = (name: DeploymentName) =>
      of(name)
        .ofType('AWS::Lambda::Function')
        .map(({ Properties: f }) => f.Environment.Variables)
        .filter((variables) => variables.PUNCTUAL_AUTHORIZATION === 'iam')
        .map((variables) => variables.PUNCTUAL_OPERATOR_ROLES);
    expect(rolesOf('default')).toEqual([]);
    expect(new Set(rolesOf('signed'))).toEqual(
      new Set(['arn:aws:iam::123456789012:role/on-call arn:aws:iam::123456789012:role/team/admin']),
    );
  });

  it('watcherReservedConcurrency: reserved for the watcher, none if it is 0', () => {
    const reserved = (name: DeploymentName) =>
      of(name)
        .ofType('AWS::Lambda::Function')
        .filter(({ Properties: f }) => f.Description === 'dispatches and settles executions')
        .map(({ Properties: f }) => f.ReservedConcurrentExecutions)
        .filter(Boolean);
    expect([reserved('default'), reserved('large'), reserved('small')]).toEqual([[2], [16], []]);
  });

  it('workers are added if waiting messages are too old', () => {
    for (const name of DEPLOYMENT_NAMES) {
      const alarm = of(name)
        .ofType('AWS::CloudWatch::Alarm')
        .find(({ Properties }) => /older than/.test(Properties.AlarmDescription))?.Properties;
      const metrics: Properties[] = alarm.Metrics.filter((m: Properties) => m.MetricStat);
      const named = new Set(metrics.map((m) => m.MetricStat.Metric.MetricName));
      expect(named).toEqual(new Set(['ApproximateAgeOfOldestMessage', 'ApproximateNumberOfMessagesVisible']));
      expect(metrics.length).toBeLessThanOrEqual(10);
      // a look-ahead of 5 minutes, a slot of 1 minute, and 1 minute
      expect(alarm.Threshold).toBe(420);
      expect(alarm.AlarmActions).toHaveLength(1);
    }
  });

  it('throttles are watched on every table and every index', () => {
    const watched = of('default')
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => /throttles$/.test(Properties.AlarmName ?? ''))
      .flatMap(({ Properties }) => Properties.Metrics)
      .flatMap(
        (m: Properties) => m.MetricStat?.Metric.Dimensions.map((d: Properties) => d.Value).at(0) ?? [],
      );
    const tablesAndIndexes = TABLES.flatMap((table) => [
      table.name,
      ...table.indexes.map(({ name }) => name),
    ]);
    expect(watched).toHaveLength(2 * tablesAndIndexes.length);
  });

  it('alarmEmail: a subscription of the alarm topic', () => {
    expect(of('large').ofType('AWS::SNS::Subscription')[0]?.Properties).toMatchObject({
      Endpoint: 'on-call@example.com',
    });
    expect(of('default').ofType('AWS::SNS::Subscription')).toEqual([]);
  });
});

/**
 * The template as text, without hashes of assets, which change with every line of code. Routes are left out too, because
 * they follow from the contract and are compared with it above.
 */
function stable({ resources, outputs }: Synthesized): string {
  const routeTypes = /^AWS::(ApiGatewayV2::(Route|Integration)|Lambda::Permission)$/;
  const kept = Object.entries(resources).filter(([, { Type }]) => !routeTypes.test(Type));
  const text = JSON.stringify({ resources: Object.fromEntries(kept), outputs }, null, 1);
  return `${text.replace(/\b[0-9a-f]{64}\b/g, '<hash>')}\n`;
}
