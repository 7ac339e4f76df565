// The task `script`: runs a script in Python, JavaScript or shell. The result has the exit code and a part of the output.
import { callAws } from '../aws/sdk-errors.ts';
import { truncateStart } from '../secrets/truncate.ts';
import type { TaskServices } from '../services.ts';
import { DoNotRetry, defineTask, type Task, type TaskContext } from '../task.ts';
import { type ScriptParams, scriptParams } from './script-params.ts';
import type { ScriptEnd } from './script-runner.ts';

export const MAX_S3_SOURCE_BYTES = 262_144;
const MAX_ERROR_CHARS = 500;

/** The script ended with another exit code than 0, or was killed. The job's `retry` applies. */
export class ScriptFailed extends Error {
  override readonly name = 'ScriptFailed';
}

export const scriptTask = (services: TaskServices): Task<ScriptParams> =>
  defineTask<ScriptParams>({
    name: 'script',
    description: 'Runs a script in Python, JavaScript or shell. Exit code 0 is success.',
    params: scriptParams,
    async run(context) {
      const { language, args = [], environment = {} } = context.params;
      const source = context.params.source ?? (await fromS3(context, services));
      const end = await services.scripts().run({ language, source, args, environment }, context);
      if (end.exitCode === 0) return end;
      throw new ScriptFailed(failureMessage(end));
    },
  });

function failureMessage({ exitCode, endedBy, stderr, output, truncated, log }: ScriptEnd): string {
  const how = endedBy === undefined ? `ended with exit code ${exitCode}` : `was stopped: ${endedBy}`;
  const all = (stderr || output || '').trim();
  const shown = all && truncateStart(all, MAX_ERROR_CHARS, truncated);
  return `the script ${how}${shown && `; output: ${shown}`}${log === undefined ? '' : `; log: ${log}`}`;
}

async function fromS3(
  { params, signal, userId }: TaskContext<ScriptParams>,
  services: TaskServices,
): Promise<string> {
  const { bucket = '', key = '', version } = params.s3 ?? {};
  const name = `s3://${bucket}/${key}`;
  services.targets.check('s3', name, userId);
  const { GetObjectCommand } = await import('@aws-sdk/client-s3');
  const s3 = await services.aws.s3();
  // One byte above the limit is enough to detect a script that is too long.
  const range = `bytes=0-${MAX_S3_SOURCE_BYTES}`;
  const command = new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: version, Range: range });
  const text = await callAws(`read ${name}`, signal, async () => {
    const { Body } = await s3.send(command, { abortSignal: signal });
    return (await Body?.transformToString()) ?? '';
  });
  if (Buffer.byteLength(text) > MAX_S3_SOURCE_BYTES)
    throw new DoNotRetry(`${name} is too long: a script has at most ${MAX_S3_SOURCE_BYTES} bytes`);
  return text;
}
