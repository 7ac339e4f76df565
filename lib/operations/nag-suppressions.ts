// Findings of cdk-nag's AwsSolutions checks that are accepted, each for one resource and with a reason. None is accepted
// for the whole stack, so that new resources are checked too.
import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import { CfnRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import type { CfnCluster } from 'aws-cdk-lib/aws-ecs';
import type { IConstruct } from 'constructs';
import { operations } from '../../src/api/contract/contract.ts';
import { CONSOLE_ROUTES } from '../compute/console.ts';
import type { Scripts } from '../compute/scripts.ts';
import type { Punctual } from '../punctual.ts';

const acknowledge = (construct: IConstruct, id: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${id}`, reason });

export function acknowledgeFindings({ settings, api, queues, workers, scripts }: Punctual): void {
  acknowledge(
    queues.failedPasses,
    'SQS3',
    'The queue is a dead-letter queue itself: the failure destination of the watcher. People read it, and an alarm reports new messages.',
  );

  const open = new Set([
    ...operations.filter(({ auth }) => !auth).map(({ method, path }) => `${method} ${path}`),
    ...CONSOLE_ROUTES.map((path) => `GET ${path}`),
  ]);
  for (const route of api.httpApi.node.findAll().filter((node) => node instanceof CfnRoute)) {
    if (!open.has(route.routeKey) && route.routeKey !== HttpRouteKey.DEFAULT.key) continue;
    acknowledge(
      route,
      'APIG4',
      'Public on purpose: health check, OpenAPI document, API page, the files of the console and the answer for unknown paths. Their only input is a file name out of a fixed list, and they return no data of users.',
    );
  }

  const { userPool } = api.identity;
  if (userPool) {
    acknowledge(
      userPool,
      'COG2',
      'MFA is optional (TOTP), because the pool is for getting started and programs call the API. An organisation with its own identity provider sets `issuer` and has no such pool.',
    );
    acknowledge(
      userPool,
      'COG8',
      'The Plus plan is charged per user and adds risk scoring of interactive sign-ins. Self sign-up is off: administrators create every user.',
    );
  }

  const task = workers.service.taskDefinition;
  acknowledge(
    task,
    'ECS2',
    'The variables are table names, queue URLs and limits, not secrets. Tasks read secrets from Secrets Manager by name when they run.',
  );
  const cluster = workers.service.cluster.node.defaultChild as CfnCluster;
  acknowledge(
    task.taskRole,
    `IAM5[Resource::arn:<AWS::Partition>:ecs:<AWS::Region>:<AWS::AccountId>:task/<${Stack.of(cluster).getLogicalId(cluster)}>/*]`,
    'A worker protects itself from scale-in (ecs:UpdateTaskProtection) and manages the containers of scripts that it has started. Task ids are unknown before they run, so the permission is limited to the tasks of this cluster.',
  );
  for (const role of [task, scripts?.task].map((one) => one?.executionRole)) {
    if (role)
      acknowledge(
        role,
        'IAM5[Resource::*]',
        'ecr:GetAuthorizationToken cannot be limited to a resource. Pulling the image is limited to its repository.',
      );
  }
  if (settings.tracing || scripts) {
    acknowledge(
      task.taskRole,
      'IAM5[Resource::*]',
      'xray:PutTraceSegments and ecs:DescribeTaskDefinition cannot be limited to a resource. They write traces and read task definitions, which contain no secrets.',
    );
  }
  const { query, ...others } = api.functions;
  const traces =
    'xray:PutTraceSegments and xray:PutTelemetryRecords cannot be limited to a resource. They write traces and read nothing.';
  const metrics =
    'cloudwatch:GetMetricData cannot be limited to a resource. It reads metrics, which contain no data of users.';
  if (query.role)
    acknowledge(query.role, 'IAM5[Resource::*]', settings.tracing ? `${metrics} ${traces}` : metrics);
  for (const { role } of settings.tracing ? Object.values(others) : [])
    if (role) acknowledge(role, 'IAM5[Resource::*]', traces);
  if (scripts) acknowledgeScripts(scripts, task.taskRole);
}

function acknowledgeScripts({ bucket, task }: Scripts, worker: IConstruct): void {
  acknowledge(
    worker,
    `IAM5[Resource::arn:<AWS::Partition>:ecs:<AWS::Region>:<AWS::AccountId>:task-definition/${task.family}:*]`,
    'The wildcard is the revision. Workers of the previous deployment must be able to start scripts until they have drained. The permission is limited to one family in one cluster.',
  );
  acknowledge(
    bucket,
    'S1',
    'Programs are stored for minutes and deleted within a day. Only workers can read them, and the ledger records every run. Access logs would need a second bucket and add nothing.',
  );
  acknowledge(
    worker,
    `IAM5[Resource::<${Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement)}.Arn>/scripts/*]`,
    'There is one object per execution, whose id is unknown before it runs. The permission is limited to a bucket that holds only these objects.',
  );
}
