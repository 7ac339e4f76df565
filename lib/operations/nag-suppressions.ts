// What cdk-nag's AwsSolutions checks find and we leave as it is: each finding by resource, with the reason. Nothing is
// acknowledged for the stack as a whole, so that a new resource is checked like the first one.

import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import { CfnRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import type { CfnCluster } from 'aws-cdk-lib/aws-ecs';
import type { IConstruct } from 'constructs';
import { operations } from '../../src/api/contract/contract.ts';
import type { Scripts } from '../compute/scripts.ts';
import type { Punctual } from '../punctual.ts';

const acknowledge = (construct: IConstruct, id: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${id}`, reason });

export function acknowledgeFindings({ settings, api, queues, workers, scripts }: Punctual): void {
  acknowledge(
    queues.failedPasses,
    'SQS3',
    'It is a dead-letter queue itself: the failure destination of the watcher. Nobody consumes it but people, and an alarm tells them.',
  );

  const open = new Set(operations.filter(({ auth }) => !auth).map(({ method, path }) => `${method} ${path}`));
  for (const route of api.httpApi.node.findAll().filter((node) => node instanceof CfnRoute)) {
    if (!open.has(route.routeKey) && route.routeKey !== HttpRouteKey.DEFAULT.key) continue;
    acknowledge(
      route,
      'APIG4',
      'Public on purpose: health, the description of the API and its page, and the answer to what there is not. They take no input but a file name out of a fixed list and show no data of anybody.',
    );
  }

  const { userPool } = api.identity;
  if (userPool) {
    acknowledge(
      userPool,
      'COG2',
      'MFA is offered (TOTP) and not forced: the pool is for getting started, its users call an API by program, and an organisation with an identity provider of its own sets `issuer` and has no such pool.',
    );
    acknowledge(
      userPool,
      'COG8',
      'The Plus plan is charged per user and adds risk scoring of interactive sign-ins. Users cannot sign up by themselves here: administrators make each one.',
    );
  }

  const task = workers.service.taskDefinition;
  acknowledge(
    task,
    'ECS2',
    'The variables are names and numbers (tables, queue addresses, limits), no secrets; tasks read secrets from Secrets Manager by name when they run.',
  );
  const cluster = workers.service.cluster.node.defaultChild as CfnCluster;
  acknowledge(
    task.taskRole,
    `IAM5[Resource::arn:<AWS::Partition>:ecs:<AWS::Region>:<AWS::AccountId>:task/<${Stack.of(cluster).getLogicalId(cluster)}>/*]`,
    'A task protects itself from scale-in (ecs:UpdateTaskProtection), and looks after the containers of scripts that it has started; their ids are not known before they run: limited to the tasks of this cluster.',
  );
  for (const role of [task, scripts?.task].map((one) => one?.executionRole)) {
    if (role)
      acknowledge(
        role,
        'IAM5[Resource::*]',
        'ecr:GetAuthorizationToken cannot be limited to a resource; pulling the image is limited to its repository.',
      );
  }
  if (settings.tracing || scripts) {
    acknowledge(
      task.taskRole,
      'IAM5[Resource::*]',
      'xray:PutTraceSegments and ecs:DescribeTaskDefinition, whichever is used, cannot be limited to a resource; they write traces and read definitions, which have no secrets.',
    );
  }
  if (settings.tracing) {
    for (const { role } of Object.values(api.functions)) {
      if (role)
        acknowledge(
          role,
          'IAM5[Resource::*]',
          'xray:PutTraceSegments and xray:PutTelemetryRecords cannot be limited to a resource; they write traces and read nothing.',
        );
    }
  }
  if (scripts) acknowledgeScripts(scripts, task.taskRole);
}

function acknowledgeScripts({ bucket, task }: Scripts, worker: IConstruct): void {
  acknowledge(
    worker,
    `IAM5[Resource::arn:<AWS::Partition>:ecs:<AWS::Region>:<AWS::AccountId>:task-definition/${task.family}:*]`,
    'The wildcard is the revision. Workers of the previous deployment run until they have drained, and must be able to start scripts until then: limited to one family, in one cluster.',
  );
  acknowledge(
    bucket,
    'S1',
    'Programs wait here for minutes and are gone within a day; only the workers reach them, and every run of one is in the ledger. A log of accesses would be a bucket more, with less in it.',
  );
  acknowledge(
    worker,
    `IAM5[Resource::<${Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement)}.Arn>/scripts/*]`,
    'One object per execution, whose id is not known before: limited to those of the bucket that is for nothing else.',
  );
}
