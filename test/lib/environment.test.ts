// The environment variables of the runtimes, which must agree.
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { afterAll, describe, expect, it } from 'vitest';
import { Punctual } from '../../lib/punctual.ts';
import {
  cleanUp,
  type DeploymentName,
  synthesizedOnce as of,
  type Properties,
  type Resource,
  schedulerFunctions,
} from './synth.ts';

afterAll(cleanUp);

describe('the environment', { timeout: 120_000 }, () => {
  const programs = (name: DeploymentName): Record<string, Record<string, unknown>> => {
    const { resources } = of(name);
    const functions = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    const [container] =
      Object.entries(resources).find(
        ([id, { Type }]) => Type === 'AWS::ECS::TaskDefinition' && /Workers/.test(id),
      )?.[1].Properties.ContainerDefinitions ?? [];
    const worker = container.Environment.map(({ Name, Value }: Properties) => [Name, Value]);
    return {
      ...Object.fromEntries(functions.map(([id, { Properties: f }]) => [id, f.Environment.Variables])),
      worker: Object.fromEntries(worker),
    };
  };

  it('has the same task and notification settings in every runtime', () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Tasks');
    const taskEnvironment = {
      PUNCTUAL_ALLOW_HTTP: '10.0.0.0/8',
      PUNCTUAL_ALLOW_LAMBDA: 'report-*',
      PUNCTUAL_ALLOW_CONTAINER: 'report',
      PUNCTUAL_CONTAINER_CLUSTER: 'reports',
      PUNCTUAL_CONTAINER_SUBNETS: 'subnet-0a1b2c',
      PUNCTUAL_SIGNING_SECRET: 'punctual/signing',
      PUNCTUAL_SECRETS: 'ssm:/jobs',
    };
    new Punctual(stack, 'Punctual', {
      indexPartitions: 32,
      indexPartitionsWritten: 16,
      eventBus: 'jobs',
      emailRecipients: ['*@example.com', 'ann@b.example'],
      taskEnvironment,
      workerImage: ContainerImage.fromRegistry('none'),
    });
    const expected = {
      ...taskEnvironment,
      PUNCTUAL_INDEX_PARTITIONS: '32',
      PUNCTUAL_INDEX_PARTITIONS_WRITTEN: '16',
      PUNCTUAL_EVENT_BUS: 'jobs',
      PUNCTUAL_EMAIL_RECIPIENTS: '*@example.com,ann@b.example',
      PUNCTUAL_NOTIFY_URL: expect.anything(),
    };
    const template = Template.fromStack(stack);
    const all = Object.values(template.findResources('AWS::Lambda::Function'));
    const functions = schedulerFunctions(all as unknown as Resource[]);
    expect(functions).toHaveLength(5);
    for (const { Properties: f } of functions) expect(f.Environment.Variables).toMatchObject(expected);
    const [task] = Object.values(template.findResources('AWS::ECS::TaskDefinition'));
    const variables = task?.Properties.ContainerDefinitions[0].Environment;
    expect(Object.fromEntries(variables.map(({ Name, Value }: Properties) => [Name, Value]))).toMatchObject(
      expected,
    );
  });

  it('of tasks is validated at synthesis', () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Wrong');
    const wrong = { PUNCTUAL_SECRETS: 'vault:jobs' };
    expect(() => new Punctual(stack, 'Punctual', { taskEnvironment: wrong })).toThrow(
      /^taskEnvironment: PUNCTUAL_SECRETS must be/,
    );
  });

  it('has the settings of scripts in the API and the workers only', () => {
    const withScripts = Object.entries(programs('closed')).filter(
      ([, variables]) => 'PUNCTUAL_SCRIPT_BUCKET' in variables,
    );
    expect(withScripts.map(([id]) => /Scheduler|Query|Ingest|worker/.exec(id)?.[0]).sort()).toEqual([
      'Ingest',
      'Query',
      'Scheduler',
      'worker',
    ]);
    for (const [, variables] of withScripts)
      expect(Object.keys(variables)).toEqual(
        expect.arrayContaining(
          ['CONTAINER_CLUSTER', 'CONTAINER_SUBNETS', 'CONTAINER_PUBLIC_IP', 'SCRIPT_TASK_DEFINITION', 'SCRIPT_SECURITY_GROUPS'] // biome-ignore format: a list
            .map((name) => `PUNCTUAL_${name}`),
        ),
      );
  });

  it('fits into the 4 KB of a Lambda, with the maximum number of queues and the longest names', () => {
    const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Full');
    const stage = 'a'.repeat(20);
    new Punctual(stack, 'Punctual', {
      stage,
      queues: 24,
      eventBus: 'b'.repeat(60),
      workerImage: ContainerImage.fromRegistry('none'),
    });
    const url = `https://sqs.ap-southeast-2.amazonaws.com/123456789012/punctual-${stage}-ingest-dead-letters`;
    for (const { Properties: f } of Object.values(
      Template.fromStack(stack).findResources('AWS::Lambda::Function'),
    )) {
      const text = JSON.stringify(f.Environment.Variables).replace(/\{"Ref":"\w+"\}/g, url);
      expect(text.length, f.Description).toBeLessThan(4096);
    }
  });
});
