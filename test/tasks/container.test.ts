import {
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ECSClient,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { containerParams, containerTask } from '../../src/tasks/container/container.ts';
import { DoNotRetry, type TaskContext } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';
import { awsError, local, testServices } from '../support/task-services.ts';

const mock = mockClient(ECSClient);
const ARN = 'arn:aws:ecs:eu-west-1:123456789012:task/jobs/0123abcd';
const executionId = 'job_aaaaaaaaaaaaaaaaaaaa.1796119200000';

let pauses: number[] = [];
let saved: unknown[] = [];
const task = containerTask(testServices({ ecs: new ECSClient(local) }), async (ms, signal) => {
  pauses.push(ms);
  if (pauses.length > 200) throw new Error('waited too long');
  signal.throwIfAborted();
});
const run = (more: Partial<TaskContext<never>> = {}, params: object = {}) =>
  task.run(
    taskContext(containerParams.parse({ taskDefinition: 'report:7', ...params }), {
      checkpoint: async (value) => void saved.push(value),
      ...more,
    }),
  );

const running = { tasks: [{ taskArn: ARN, lastStatus: 'RUNNING' }] };
const stopped = (exitCode?: number, stoppedReason = 'Essential container in task exited') => ({
  tasks: [{ taskArn: ARN, lastStatus: 'STOPPED', stoppedReason, containers: [{ name: 'main', exitCode }] }],
});
const gone = { tasks: [], failures: [{ arn: ARN, reason: 'MISSING' }] };

beforeEach(() => {
  pauses = [];
  saved = [];
  mock.reset();
  mock.on(DescribeTaskDefinitionCommand).resolves({
    taskDefinition: {
      containerDefinitions: [
        {
          name: 'main',
          logConfiguration: {
            logDriver: 'awslogs',
            options: {
              'awslogs-group': '/jobs/report',
              'awslogs-region': 'eu-west-1',
              'awslogs-stream-prefix': 'run',
            },
          },
        },
      ],
    },
  });
  mock.on(RunTaskCommand).resolves({ tasks: [{ taskArn: ARN }] });
});

describe('a container', () => {
  it('is started with exactly this, waited for with growing pauses, and tells exit code and log', async () => {
    mock
      .on(DescribeTasksCommand)
      .resolvesOnce(gone)
      .resolvesOnce(running)
      .resolvesOnce(running)
      .resolves(stopped(0));
    await expect(run({}, { command: ['go', '--fast'], environment: { DAY: '1' } })).resolves.toEqual({
      exitCode: 0,
      taskArn: ARN,
      log: 'https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#logsV2:log-groups/log-group/$252Fjobs$252Freport/log-events/run$252Fmain$252F0123abcd',
    });
    expect(mock.commandCalls(RunTaskCommand)[0]?.args[0].input).toEqual({
      cluster: 'jobs',
      launchType: 'FARGATE',
      count: 1,
      networkConfiguration: {
        awsvpcConfiguration: { subnets: ['subnet-1'], securityGroups: ['sg-1'], assignPublicIp: 'DISABLED' },
      },
      taskDefinition: 'report:7',
      overrides: {
        containerOverrides: [
          {
            name: 'main',
            command: ['go', '--fast'],
            environment: [
              { name: 'DAY', value: '1' },
              { name: 'PUNCTUAL_EXECUTION', value: executionId },
            ],
          },
        ],
      },
      startedBy: 'job_aaaaaaaaaaaaaaaaaaaa',
      clientToken: `${executionId}-1`,
    });
    expect(mock.commandCalls(DescribeTasksCommand)[0]?.args[0].input).toEqual({
      cluster: 'jobs',
      tasks: [ARN],
    });
    expect(pauses).toEqual([1000, 1500, 2250]);
    expect(saved).toEqual([{ ecs: { ended: 0, taskArn: ARN } }]);
  });

  it('fails with its exit code, and the next attempt starts another', async () => {
    mock.on(DescribeTasksCommand).resolves(stopped(3));
    await expect(run()).rejects.toMatchObject({
      name: 'ContainerFailed',
      message: expect.stringMatching(/^the container ended with exit code 3: Essential .*; log: https:/),
    });
    expect(saved.at(-1)).toEqual({ ecs: { ended: 1 } });
    await run({ attempt: 2, lastCheckpoint: saved.at(-1) }).catch(() => {});
    expect(mock.commandCalls(RunTaskCommand).map(({ args }) => args[0].input.clientToken)).toEqual([
      `${executionId}-1`,
      `${executionId}-2`,
    ]);
  });

  it('that never ran says why', async () => {
    mock.on(DescribeTasksCommand).resolves(stopped(undefined, 'CannotPullContainerError: not found'));
    await expect(run()).rejects.toThrow('did not run to its end: CannotPullContainerError: not found');
  });
});

describe('a worker that dies', () => {
  it('after it saved: the next attempt waits for the same container and starts none', async () => {
    mock.on(DescribeTasksCommand).resolvesOnce(running).resolves(stopped(0));
    await expect(
      run({ attempt: 2, lastCheckpoint: { ecs: { ended: 0, taskArn: ARN } } }),
    ).resolves.toMatchObject({ exitCode: 0, taskArn: ARN });
    expect(mock.commandCalls(RunTaskCommand)).toHaveLength(0);
  });

  it('before it saved: the same client token, for which ECS answers with the one that runs', async () => {
    mock.on(DescribeTasksCommand).resolves(stopped(0));
    await run();
    await run({ attempt: 2 });
    const tokens = mock.commandCalls(RunTaskCommand).map(({ args }) => args[0].input.clientToken);
    expect(new Set(tokens).size).toBe(1);
    // an input that is not the same to the letter is told as a conflict, with the ARN
    mock.on(RunTaskCommand).rejects(awsError('ConflictException', 400, 'token', { resourceIds: [ARN] }));
    await expect(run({ attempt: 2 })).resolves.toMatchObject({ taskArn: ARN });
  });

  it('so long that ECS has forgotten the container: tried again with another', async () => {
    mock.on(DescribeTasksCommand).resolves(gone);
    await expect(run({ lastCheckpoint: { ecs: { ended: 0, taskArn: ARN } } })).rejects.toMatchObject({
      name: 'AwsFailure',
      message: expect.stringContaining('ECS no longer lists the container'),
    });
    expect(saved).toEqual([{ ecs: { ended: 1 } }]);
  });
});

describe('told to stop', () => {
  const stopping = (why: string) => {
    const stop = new AbortController();
    const reason = Object.assign(new Error(`because of ${why}`), { why });
    mock.on(StopTaskCommand).resolves({});
    mock.on(DescribeTasksCommand).callsFake(() => {
      stop.abort(reason);
      return running;
    });
    return { attempt: run({ signal: stop.signal }), reason };
  };

  it.each(['cancelled', 'timeout'])('by %s: the container is stopped', async (why) => {
    const { attempt, reason } = stopping(why);
    await expect(attempt).rejects.toBe(reason);
    expect(mock.commandCalls(StopTaskCommand)[0]?.args[0].input).toEqual({
      cluster: 'jobs',
      task: ARN,
      reason: `Punctual: because of ${why}`,
    });
  });

  it.each(['shutdown', 'lease lost'])('by %s: it goes on, for whoever takes over', async (why) => {
    const { attempt, reason } = stopping(why);
    await expect(attempt).rejects.toBe(reason);
    expect(mock.commandCalls(StopTaskCommand)).toHaveLength(0);
  });

  it('after a timeout the next attempt does not take the stopped one for its own', async () => {
    mock
      .on(DescribeTasksCommand)
      .resolvesOnce(stopped(143, 'Punctual: did not end within timeoutSeconds (300)'))
      .resolves(stopped(0));
    await expect(
      run({ attempt: 2, lastCheckpoint: { ecs: { ended: 0, taskArn: ARN } } }),
    ).resolves.toMatchObject({ exitCode: 0 });
    expect(mock.commandCalls(RunTaskCommand)[0]?.args[0].input.clientToken).toBe(`${executionId}-2`);
  });
});

describe('what goes wrong', () => {
  it('no room on Fargate is tried again, a wrong request is not', async () => {
    mock.on(RunTaskCommand).resolves({ tasks: [], failures: [{ reason: 'RESOURCE:ENI' }] });
    await expect(run()).rejects.toMatchObject({ name: 'AwsFailure' });
    mock.on(RunTaskCommand).resolves({ tasks: [], failures: [{ reason: 'MISSING', detail: 'cluster' }] });
    await expect(run()).rejects.toBeInstanceOf(DoNotRetry);
    mock.on(RunTaskCommand).rejects(awsError('AccessDeniedException', 403));
    await expect(run()).rejects.toThrow('the worker is not allowed to run the task definition "report:7"');
  });

  it('answers that fail while waiting are no news of the container; ten in a row are too many', async () => {
    const throttled = awsError('ThrottlingException', 400);
    mock.on(DescribeTasksCommand).rejectsOnce(throttled).rejectsOnce(throttled).resolves(stopped(0));
    await expect(run()).resolves.toMatchObject({ exitCode: 0 });
    mock.on(DescribeTasksCommand).rejects(throttled);
    await expect(run()).rejects.toMatchObject({ name: 'AwsFailure' });
  });

  it('names the containers that there are, and the room that there is', async () => {
    await expect(run({}, { container: 'other' })).rejects.toThrow('has no container "other"; it has main');
    const big = { command: Array<string>(3).fill('x'.repeat(4000)) };
    await expect(run({}, big)).rejects.toThrow('ECS allows 8192');
  });
});
