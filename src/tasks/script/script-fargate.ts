// Runs a script in a Fargate task of its own, never in the worker. The role of the task has no permissions, so the container
// reads the script through a presigned S3 URL, and its output is read from the log. ECS shows variables and commands to everybody
// who may describe tasks, so they contain the URL and nothing of the job.

import { callAws } from '../aws/sdk-errors.ts';
import { containerEnd, fargate, sleepUnlessAborted } from '../container/container.ts';
import { lastLines, logLink, logLocation } from '../container/ecs-logs.ts';
import { type EcsRun, runOnEcs } from '../container/ecs-run.ts';
import type { AwsClients, ContainerNetwork } from '../services.ts';
import type { TaskContext } from '../task.ts';
import type { Script, ScriptEnd, ScriptRunner } from './script-runner.ts';

export interface FargateScriptOptions {
  readonly aws: AwsClients;
  /** Has no route to the inside of the VPC. */
  readonly network: ContainerNetwork;
  /** Its image has node, python3 and sh. Its role has no permissions. */
  readonly taskDefinition: string;
  /** The bucket for scripts. A lifecycle rule deletes them after a day. */
  readonly bucket: string;
  readonly sleep?: EcsRun['sleep'];
}

/** Validity of the presigned URL. Fargate may take minutes to find capacity. */
const LINK_SECONDS = 3 * 3600;
const MAX_OUTPUT_LINES = 50;
const MAX_OUTPUT_CHARS = 2_000;

/**
 * The program of the container. It fetches the script and runs it with the variables of the job only. The variables that ECS
 * sets in the container are not passed on.
 */
const BOOTSTRAP = `
const fs = require('node:fs'), { spawnSync } = require('node:child_process');
fetch(process.env.PUNCTUAL_SCRIPT).then(async (answer) => {
  if (!answer.ok) throw new Error('failed to fetch the script: status ' + answer.status);
  const { language, source, args, environment } = await answer.json();
  const file = fs.mkdtempSync('/tmp/script-') + '/script.' + { python: 'py', node: 'js', shell: 'sh' }[language];
  fs.writeFileSync(file, source);
  const env = { ...environment, PATH: process.env.PATH, HOME: '/tmp', LANG: 'C.UTF-8' };
  const program = { python: 'python3', node: process.execPath, shell: 'sh' }[language];
  const { status, signal, error } = spawnSync(program, [file, ...args], { env, cwd: '/tmp', stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  process.exitCode = status ?? 128 + require('node:os').constants.signals[signal];
}).catch((error) => { console.error(String(error)); process.exitCode = 125; });
`.trim();

export const fargateScripts = (options: FargateScriptOptions): ScriptRunner => ({
  async run(script, context) {
    const { aws, taskDefinition, sleep = sleepUnlessAborted } = options;
    const ecs = await aws.ecs();
    const { DescribeTaskDefinitionCommand } = await import('@aws-sdk/client-ecs');
    const described = await callAws(`read the task definition "${taskDefinition}"`, context.signal, () =>
      ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition }), { abortSignal: context.signal }),
    );
    const container = described.taskDefinition?.containerDefinitions?.[0]?.name ?? '';
    const location = logLocation(container, described.taskDefinition);
    // If the container of an earlier attempt runs, the script need not be uploaded again.
    const isRunning = Object(context.lastCheckpoint).ecs?.taskArn !== undefined;
    const url = isRunning ? '' : await uploadScript(options, script, context);
    const input = inputOf(options, container, url);
    const task = await runOnEcs({ ecs, input, context, sleep });
    const { exitCode, reason } = containerEnd(task, container);
    const output = await lastLines(await aws.logs(), location, task.taskArn, MAX_OUTPUT_LINES).catch(
      () => '',
    );
    const end: ScriptEnd = {
      output: output.slice(-MAX_OUTPUT_CHARS),
      truncated: output.length > MAX_OUTPUT_CHARS,
    };
    const log = logLink(location, task.taskArn);
    if (exitCode !== undefined && exitCode <= 128) return { ...end, exitCode, log };
    const endedBy = [reason, task.stoppedReason].filter(Boolean).join('; ') || `exit code ${exitCode}`;
    return { ...end, exitCode, endedBy, log };
  },
});

/** Uploads the script and returns a presigned URL for it. */
async function uploadScript(
  { aws, bucket }: FargateScriptOptions,
  script: Script,
  { executionId, signal }: TaskContext<unknown>,
): Promise<string> {
  const { GetObjectCommand, PutObjectCommand } = await import('@aws-sdk/client-s3');
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const s3 = await aws.s3();
  const object = { Bucket: bucket, Key: `scripts/${executionId}` };
  const environment = { ...script.environment, PUNCTUAL_EXECUTION: executionId };
  const Body = JSON.stringify({ ...script, environment });
  await callAws(`upload a script to the bucket ${bucket}`, signal, () =>
    s3.send(new PutObjectCommand({ ...object, Body }), { abortSignal: signal }),
  );
  return getSignedUrl(s3, new GetObjectCommand(object), { expiresIn: LINK_SECONDS });
}

function inputOf(
  { network, taskDefinition }: FargateScriptOptions,
  name: string,
  url: string,
): EcsRun['input'] {
  const environment = [{ name: 'PUNCTUAL_SCRIPT', value: url }];
  const overrides = { containerOverrides: [{ name, command: ['node', '-e', BOOTSTRAP], environment }] };
  return { ...fargate(network), taskDefinition, overrides, startedBy: 'punctual-script' };
}
