// The task `lambda`: invokes a function, and waits for its answer or does not.
import { z } from 'zod';
import { truncateEnd } from '../secrets/truncate.ts';
import type { TaskServices } from '../services.ts';
import { DoNotRetry, defineTask, type Task, type TaskContext } from '../task.ts';
import { callAws } from './sdk-errors.ts';

export const lambdaParams = z.strictObject({
  function: z
    .string()
    .regex(
      /^(arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:)?[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9$_-]{1,128})?$/,
      'must be the name or the ARN of a function, with a version or an alias after a colon if you like',
    )
    .describe('name or ARN of the function, with ":alias" or ":version" if you like'),
  payload: z.unknown().optional().describe('any JSON value; default: {}'),
  mode: z
    .enum(['sync', 'async'])
    .optional()
    .describe(
      'sync (default) waits for what the function returns; async ends when Lambda has taken the event',
    ),
});

export type LambdaParams = z.infer<typeof lambdaParams>;

/** The function was called and threw, ran out of time or out of memory. Tried again by the job's `retry`. */
export class FunctionFailed extends Error {
  override readonly name = 'FunctionFailed';
}

const KEPT_CHARS = 2048;
const MAX_ERROR_CHARS = 500;
const MAX_ASYNC_BYTES = 1_048_576;

export const lambdaTask = (services: TaskServices): Task<LambdaParams> =>
  defineTask<LambdaParams>({
    name: 'lambda',
    description: 'Invokes a Lambda function; its error is the failure of the attempt.',
    params: lambdaParams,
    run: (context) => invoke(context, services),
  });

async function invoke(context: TaskContext<LambdaParams>, { aws, targets }: TaskServices): Promise<unknown> {
  const { params, signal } = context;
  targets.check('lambda', params.function, context.userId);
  const payload = JSON.stringify(params.payload ?? {});
  const sync = params.mode !== 'async';
  if (!sync && Buffer.byteLength(payload) > MAX_ASYNC_BYTES)
    throw new DoNotRetry(
      `an event has at most ${MAX_ASYNC_BYTES} bytes, this one ${Buffer.byteLength(payload)}`,
    );
  const { InvokeCommand } = await import('@aws-sdk/client-lambda');
  const client = await aws.lambda();
  const answer = await callAws(`invoke the function "${params.function}"`, signal, () =>
    client.send(
      new InvokeCommand({
        FunctionName: params.function,
        InvocationType: sync ? 'RequestResponse' : 'Event',
        // Lambda hands this on to the function with synchronous calls only
        ClientContext: sync ? clientContext(context) : undefined,
        Payload: new TextEncoder().encode(payload),
      }),
      { abortSignal: signal },
    ),
  );
  if (!sync) return { status: answer.StatusCode };
  const text = new TextDecoder().decode(answer.Payload);
  if (answer.FunctionError !== undefined) throw new FunctionFailed(said(params.function, text));
  return { status: answer.StatusCode, version: answer.ExecutedVersion, result: parsed(text) };
}

const clientContext = (context: TaskContext<LambdaParams>): string => {
  const { executionId, attempt, idempotencyKey, dueAt, fence } = context;
  const custom = { executionId, attempt, idempotencyKey, dueAt: dueAt.toISOString(), fence };
  return Buffer.from(JSON.stringify({ custom })).toString('base64');
};

function said(name: string, text: string): string {
  const { errorType, errorMessage } = Object(parsed(text)) as { errorType?: unknown; errorMessage?: unknown };
  const what = [errorType, errorMessage].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return `the function "${name}" failed: ${truncateEnd(what || text, MAX_ERROR_CHARS)}`;
}

/** What it returned, or the beginning of that as text: it goes into the execution's record. */
function parsed(text: string): unknown {
  if (text === '') return null;
  if (text.length > KEPT_CHARS) return truncateEnd(text, KEPT_CHARS);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
