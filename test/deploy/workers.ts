// Workers from the bundle of the image, with the environment of the deployed task definition. The emulator starts no containers.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { writeDeployedFiles } from '../../lib/bundling/deployed-files.ts';
import { OUTPUT } from '../../lib/bundling/entries.ts';
import { until } from '../support/until.ts';
import type { Cleanup } from './cleanup.ts';
import type { Deployment } from './deployment.ts';
import type { Aws, Environment } from './programs.ts';

export interface Worker {
  readonly id: string;
  output(): string;
  kill(): Promise<void>;
  /** Sends SIGTERM and resolves with the exit code. */
  drain(): Promise<number | null>;
}

export interface Workers {
  start(): Promise<Worker>;
  /** The deployed variables. */
  readonly variables: Environment;
  readonly taskRole: string;
}

/** A worker polls for up to 20 s, so a drain takes at most that long without running tasks. */
const DRAIN_MS = 60_000;

export async function prepareWorkers(
  { physicalId, aws, emulator, stack }: Deployment,
  cleanup: Cleanup,
  more: Environment = {},
): Promise<Workers> {
  const folder = cleanup.folder(`worker-${stack}`);
  writeDeployedFiles('worker', folder);
  const arn = physicalId('AWS::ECS::TaskDefinition', /Workers/);
  const { taskDefinition } = (await aws('ecs', 'describe-task-definition', '--task-definition', arn)) as {
    taskDefinition: {
      taskRoleArn: string;
      containerDefinitions: { environment: { name: string; value: string }[] }[];
    };
  };
  const variables = Object.fromEntries(
    (taskDefinition.containerDefinitions[0]?.environment ?? []).map(({ name, value }) => [name, value]),
  );
  // ECS gives a container the credentials of its task role.
  const session = emulator.enforcesIam ? await assumeRole(aws, taskDefinition.taskRoleArn) : {};
  let started = 0;
  return {
    variables,
    taskRole: taskDefinition.taskRoleArn,
    async start() {
      started += 1;
      // The command and the variables of the Dockerfile. Each container has a /tmp of its own.
      const child = spawn(process.execPath, ['--max-semi-space-size=32', OUTPUT], {
        cwd: folder,
        env: {
          ...emulator.env,
          ...session,
          NODE_ENV: 'production',
          NODE_OPTIONS: '--enable-source-maps',
          ...variables,
          PUNCTUAL_ALIVE_FILE: join(folder, `alive-${started}`),
          ...more,
        },
      });
      cleanup.add(() => end(child, 'SIGKILL'));
      return ready(child);
    },
  };
}

/** The variables of a session of the role. */
export async function assumeRole(aws: Aws, role: string): Promise<Environment> {
  const { Credentials: session } = (await aws(
    'sts',
    'assume-role',
    '--role-arn',
    role,
    '--role-session-name',
    'test-deploy',
  )) as { Credentials: { AccessKeyId: string; SecretAccessKey: string; SessionToken: string } };
  return {
    AWS_ACCESS_KEY_ID: session.AccessKeyId,
    AWS_SECRET_ACCESS_KEY: session.SecretAccessKey,
    AWS_SESSION_TOKEN: session.SessionToken,
  };
}

async function ready(child: ChildProcess): Promise<Worker> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += String(data)));
  const line = await until(
    'the worker is ready',
    () => {
      if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}:\n${output}`);
      return output.split('\n').find((one) => one.includes('"worker ready"'));
    },
    { withinMs: 60_000, detail: () => output },
  );
  return {
    id: (JSON.parse(line) as { workerId: string }).workerId,
    output: () => output,
    async kill() {
      await end(child, 'SIGKILL');
    },
    async drain() {
      const timer = setTimeout(() => child.kill('SIGKILL'), DRAIN_MS);
      await end(child, 'SIGTERM');
      clearTimeout(timer);
      return child.exitCode;
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
