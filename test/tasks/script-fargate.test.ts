// Scripts on AWS: what ECS, S3 and the logs are asked, and what the container then does, run here as it would be there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeTaskDefinitionCommand,
  DescribeTasksCommand,
  ECSClient,
  RunTaskCommand,
} from '@aws-sdk/client-ecs';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningFauxqs, startFauxqs } from '../../src/local/fauxqs.ts';
import { scriptTask } from '../../src/tasks/script/script.ts';
import { fargateScripts } from '../../src/tasks/script/script-fargate.ts';
import { scriptParams } from '../../src/tasks/script/script-params.ts';
import { taskContext } from '../support/task-context.ts';
import { local, testServices } from '../support/task-services.ts';

const ARN = 'arn:aws:ecs:eu-west-1:123456789012:task/jobs/0123abcd';
const ecs = mockClient(ECSClient);
const logs = mockClient(CloudWatchLogsClient);
let engine: RunningFauxqs;
let s3: S3Client;
let saved: unknown[] = [];

beforeAll(async () => {
  engine = await startFauxqs({ region: local.region });
  s3 = new S3Client({ ...local, endpoint: engine.endpoint, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: 'handover' }));
});
afterAll(async () => {
  s3.destroy();
  await engine.stop();
});
const options = {
  'awslogs-group': '/scripts',
  'awslogs-region': 'eu-west-1',
  'awslogs-stream-prefix': 's',
};
const stopped = (exitCode?: number, stoppedReason?: string) => ({
  tasks: [{ taskArn: ARN, lastStatus: 'STOPPED', stoppedReason, containers: [{ name: 'main', exitCode }] }],
});
beforeEach(() => {
  saved = [];
  ecs.reset();
  logs.reset();
  ecs.on(DescribeTaskDefinitionCommand).resolves({
    taskDefinition: {
      containerDefinitions: [{ name: 'main', logConfiguration: { logDriver: 'awslogs', options } }],
    },
  });
  ecs.on(RunTaskCommand).resolves({ tasks: [{ taskArn: ARN }] });
  ecs.on(DescribeTasksCommand).resolves(stopped(0));
  logs.on(GetLogEventsCommand).resolves({ events: [{ message: 'hello' }, { message: 'bye' }] });
});

const run = (params: object, more: object = {}) => {
  const services = testServices({ ecs: new ECSClient(local), logs: new CloudWatchLogsClient(local), s3 });
  const scripts = fargateScripts({
    aws: services.aws,
    network: { cluster: 'scripts', subnets: ['subnet-9'], securityGroups: ['sg-9'], assignPublicIp: false },
    taskDefinition: 'punctual-script',
    bucket: 'handover',
    sleep: async () => {},
  });
  const context = taskContext(scriptParams.parse({ language: 'shell', ...params }), {
    checkpoint: async (value) => void saved.push(value),
    ...more,
  });
  return scriptTask({ ...services, scripts: () => scripts }).run(context);
};
const input = () =>
  ecs.commandCalls(RunTaskCommand)[0]?.args[0].input ?? expect.fail('no container was started');

/** What the container would do, in a process with what ECS gives it. */
async function inContainer(): Promise<{ code: number; output: string }> {
  const { command = [], environment = [] } = input().overrides?.containerOverrides?.[0] ?? {};
  const env = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
  const child = spawn(process.execPath, command.slice(1), {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ECS_CONTAINER_METADATA_URI_V4: 'http://169.254.170.2/v4',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const [code] = await once(child, 'close');
  return { code, output };
}

describe('a script on Fargate', () => {
  it('runs in a container of its own, and the worker tells its exit code, its last lines and its log', async () => {
    await expect(run({ source: 'echo hello' })).resolves.toEqual({
      exitCode: 0,
      output: 'hello\nbye',
      truncated: false,
      log: expect.stringContaining('log-group/$252Fscripts/log-events/s$252Fmain$252F0123abcd'),
    });
    expect(input()).toMatchObject({
      cluster: 'scripts',
      taskDefinition: 'punctual-script',
      launchType: 'FARGATE',
      networkConfiguration: {
        awsvpcConfiguration: { subnets: ['subnet-9'], securityGroups: ['sg-9'], assignPublicIp: 'DISABLED' },
      },
      clientToken: 'job_aaaaaaaaaaaaaaaaaaaa.1796119200000-1',
    });
    // never another role than the task definition's
    expect(Object.keys(input().overrides ?? {})).toEqual(['containerOverrides']);
    expect(logs.commandCalls(GetLogEventsCommand)[0]?.args[0].input).toEqual({
      logGroupName: '/scripts',
      logStreamName: 's/main/0123abcd',
      limit: 50,
      startFromHead: false,
    });
  });

  it.each([
    ['shell', 'echo "shell $1 $DAY"; env; exit 4', 4],
    [
      'python',
      'import os, sys\nprint("python", sys.argv[1], os.environ["DAY"])\nprint(dict(os.environ))\nsys.exit(5)',
      5,
    ],
    ['node', 'console.log("node", process.argv[2], process.env.DAY, process.env); process.exit(6)', 6],
  ] as const)(
    'in %s: the container fetches it, runs it and hands nothing of its own on',
    async (language, source, code) => {
      await run({ language, source, args: ['a b'], environment: { DAY: 'monday' } });
      const ended = await inContainer();
      expect(ended.code).toBe(code);
      expect(ended.output).toMatch(new RegExp(`^${language} a b monday`));
      for (const own of ['PUNCTUAL_SCRIPT', 'X-Amz-Signature', 'ECS_', '169.254'])
        expect(ended.output).not.toContain(own);
    },
  );

  it('ten kilobytes fit: the script itself does not go through ECS', async () => {
    await run({ source: `# ${'x'.repeat(10_200)}\necho long` });
    expect(JSON.stringify(input().overrides).length).toBeLessThan(8192);
    await expect(inContainer()).resolves.toEqual({ code: 0, output: 'long\n' });
  });

  it('neither its variables nor its arguments go through ECS, which shows them to whoever may look at tasks', async () => {
    const args = ['secret-arg', ...Array<string>(32).fill('x'.repeat(1000))];
    await run({ source: 'echo "$1 $TOKEN $#"', args, environment: { TOKEN: 'secret-variable' } });
    expect(JSON.stringify(input())).not.toContain('secret-');
    await expect(inContainer()).resolves.toEqual({ code: 0, output: 'secret-arg secret-variable 33\n' });
  });

  it('fails with its exit code, or with why it never ran', async () => {
    ecs.on(DescribeTasksCommand).resolves(stopped(3));
    await expect(run({ source: 'x' })).rejects.toThrow(
      /^the script ended with exit code 3; output: hello\nbye; log: /,
    );
    ecs.on(DescribeTasksCommand).resolves(stopped(137, 'OutOfMemoryError'));
    await expect(run({ source: 'x' })).rejects.toThrow('was stopped: OutOfMemoryError');
  });

  it('that still runs after its worker has died is waited for, not started again', async () => {
    const lastCheckpoint = { ecs: { ended: 0, taskArn: ARN } };
    await expect(run({ source: 'x' }, { lastCheckpoint, attempt: 2 })).resolves.toMatchObject({
      exitCode: 0,
    });
    expect(ecs.commandCalls(RunTaskCommand)).toHaveLength(0);
  });
});
