// The task `container`: runs a task definition on Fargate and waits for its end. The result has the exit code and a link to
// the log.
import { setTimeout as wait } from 'node:timers/promises';
import type { ECSClient, Task as EcsTask, RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { z } from 'zod';
import { callAws } from '../aws/sdk-errors.ts';
import { environmentSchema } from '../script/script-params.ts';
import type { ContainerNetwork, TaskServices } from '../services.ts';
import { DoNotRetry, defineTask, type Task, type TaskContext } from '../task.ts';
import { type LogLocation, logLink, logLocation } from './ecs-logs.ts';
import { type EcsRun, runOnEcs } from './ecs-run.ts';

/** ECS's maximum size of all overrides of a task, in characters. */
const MAX_OVERRIDES = 8192;

export const containerParams = z
  .strictObject({
    taskDefinition: z
      .string()
      .regex(
        /^(arn:aws[\w-]*:ecs:[\w-]+:\d{12}:task-definition\/)?[A-Za-z0-9_-]{1,255}(:\d{1,9})?$/,
        'must be a family such as "report", a revision such as "report:7", or an ARN',
      )
      .describe('family, "family:revision" or ARN'),
    container: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,255}$/, 'must be letters, digits, "_" and "-"')
      .optional()
      .describe(
        'container that `command` and `environment` apply to; default: the first of the task definition',
      ),
    command: z
      .array(z.string().max(4096))
      .min(1)
      .max(64)
      .optional()
      .describe('replaces the command of the image'),
    environment: environmentSchema
      .optional()
      .describe('variables in addition to those of the task definition'),
  })
  .meta({ examples: [{ taskDefinition: 'report:7', command: ['report', '--day', '1'] }] });

export type ContainerParams = z.infer<typeof containerParams>;

/** The container failed, or did not run to its end. The job's `retry` applies. */
export class ContainerFailed extends Error {
  override readonly name = 'ContainerFailed';
}

export const sleepUnlessAborted: EcsRun['sleep'] = (ms, signal) =>
  wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());

export const containerTask = (services: TaskServices, sleep = sleepUnlessAborted): Task<ContainerParams> =>
  defineTask<ContainerParams>({
    name: 'container',
    description: 'Runs a container on Fargate and waits for its end. Exit code 0 is success.',
    params: containerParams,
    run: (context) => run(context, services, sleep),
  });

async function run(
  context: TaskContext<ContainerParams>,
  { aws, targets, containers }: TaskServices,
  sleep: EcsRun['sleep'],
): Promise<unknown> {
  const { params, userId } = context;
  targets.check('container', params.taskDefinition, userId);
  const ecs = await aws.ecs();
  const location = await logLocationOf(ecs, context);
  const input = inputOf(containers(), context, location.container);
  const ended = await runOnEcs({ ecs, input, context, sleep });
  const link = logLink(location, ended.taskArn);
  const { exitCode, reason } = containerEnd(ended, location.container);
  if (exitCode === 0) return { exitCode, taskArn: ended.taskArn, log: link };
  const how = exitCode === undefined ? 'did not run to its end' : `ended with exit code ${exitCode}`;
  const why = [reason, ended.stoppedReason].filter(Boolean).join('; ');
  throw new ContainerFailed(
    [`the container ${how}`, why && `: ${why}`, link && `; log: ${link}`].filter(Boolean).join(''),
  );
}

/** The container that the params select, and the location of its log. */
async function logLocationOf(
  ecs: ECSClient,
  { params, signal }: TaskContext<ContainerParams>,
): Promise<LogLocation> {
  const { DescribeTaskDefinitionCommand } = await import('@aws-sdk/client-ecs');
  const { taskDefinition } = await callAws(
    `read the task definition "${params.taskDefinition}"`,
    signal,
    () =>
      ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: params.taskDefinition }), {
        abortSignal: signal,
      }),
  );
  const names = taskDefinition?.containerDefinitions?.map(({ name = '' }) => name) ?? [];
  const container = params.container ?? names[0];
  if (container === undefined || !names.includes(container)) {
    throw new DoNotRetry(
      `the task definition "${params.taskDefinition}" has no container "${container}"; it has ${names.join(', ')}`,
    );
  }
  return logLocation(container, taskDefinition);
}

function inputOf(
  network: ContainerNetwork,
  { params, executionId }: TaskContext<ContainerParams>,
  container: string,
): RunTaskCommandInput & { cluster: string } {
  const environment = { ...params.environment, PUNCTUAL_EXECUTION: executionId };
  const overrides = {
    containerOverrides: [
      {
        name: container,
        command: params.command,
        environment: Object.entries(environment).map(([name, value]) => ({ name, value })),
      },
    ],
  };
  const size = JSON.stringify(overrides).length;
  if (size > MAX_OVERRIDES)
    throw new DoNotRetry(`command and environment have ${size} characters; ECS allows ${MAX_OVERRIDES}`);
  return {
    ...fargate(network),
    taskDefinition: params.taskDefinition,
    overrides,
    startedBy: startedBy(executionId),
  };
}

export const fargate = (network: ContainerNetwork) => ({
  cluster: network.cluster,
  launchType: 'FARGATE' as const,
  count: 1,
  networkConfiguration: {
    awsvpcConfiguration: {
      subnets: [...network.subnets],
      securityGroups: [...network.securityGroups],
      assignPublicIp: network.assignPublicIp ? ('ENABLED' as const) : ('DISABLED' as const),
    },
  },
});

/** The job id, by which ECS can list tasks. All attempts must send the same input with the same client token. */
const startedBy = (executionId: string): string =>
  (executionId.split('.')[0] ?? executionId).replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 128);

export function containerEnd(
  task: EcsTask,
  name: string,
): { exitCode: number | undefined; reason: string | undefined } {
  const { exitCode, reason } = task.containers?.find((container) => container.name === name) ?? {};
  return { exitCode, reason };
}
