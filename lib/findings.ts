// What cdk-nag's AwsSolutions checks find and we leave as it is: each finding by resource, with the reason. Nothing is
// acknowledged for the stack as a whole, so that a new resource is checked like the first one.

import { Stack, Validations } from 'aws-cdk-lib';
import { CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import type { CfnCluster } from 'aws-cdk-lib/aws-ecs';
import type { IConstruct } from 'constructs';
import { operations } from '../src/api/contract.ts';
import type { Punctual } from './punctual.ts';

const acknowledge = (construct: IConstruct, id: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${id}`, reason });

export function acknowledgeFindings({ api, queues, workers }: Punctual): void {
  acknowledge(
    queues.failedPasses,
    'SQS3',
    'It is a dead-letter queue itself: the failure destination of the watcher. Nobody consumes it but people, and an alarm tells them.',
  );

  const open = new Set(operations.filter(({ auth }) => !auth).map(({ method, path }) => `${method} ${path}`));
  for (const route of api.httpApi.node.findAll().filter((node) => node instanceof CfnRoute)) {
    if (!open.has(route.routeKey)) continue;
    acknowledge(
      route,
      'APIG4',
      'Public on purpose: health, the description of the API and its page. They take no input but a file name out of a fixed list and show no data of anybody.',
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
    'A task protects itself from scale-in (ecs:UpdateTaskProtection), and its id is not known before it runs: limited to the tasks of this cluster.',
  );
  if (task.executionRole) {
    acknowledge(
      task.executionRole,
      'IAM5[Resource::*]',
      'ecr:GetAuthorizationToken cannot be limited to a resource; pulling the image is limited to its repository.',
    );
  }
}
