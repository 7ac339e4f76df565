// Workers from the bundle of the image, with the environment of the deployed task definition. The emulator starts no containers.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { writeDeployedFiles } from '../../lib/bundling/deployed-files.ts';
import { OUTPUT } from '../../lib/bundling/entries.ts';
import { until } from '../support/until.ts';
import type { Cleanup } from './cleanup.ts';
import type { Deployment } from './deployment.ts';
import { drainProcess, endProcess } from './process-group.ts';
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
      cleanup.add(() => endProcess(child, 'SIGKILL'));
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
    kill: () => endProcess(child, 'SIGKILL'),
    drain: () => drainProcess(child),
  };
}
