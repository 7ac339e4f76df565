// The task `lambda`: invokes a function, synchronously or asynchronously.
import { z } from 'zod';
import { truncateEnd } from '../secrets/truncate.ts';
import type { TaskServices } from '../services.ts';
import { DoNotRetry, defineTask, type Task, type TaskContext } from '../task.ts';
import { callAws } from './sdk-errors.ts';

export const lambdaParams = z
  .strictObject({
    function: z
      .string()
      .regex(
        /^(arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:)?[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9$_-]{1,128})?$/,
        'must be the name or ARN of a function, optionally with ":version" or ":alias"',
      )
      .describe('name or ARN of the function, optionally with ":alias" or ":version"'),
    payload: z.unknown().optional().describe('any JSON value; default {}'),
    mode: z
      .enum(['sync', 'async'])
      .optional()
      .describe(
        'sync (default) waits for the result of the function; async ends when Lambda has accepted the event',
      ),
  })
  .meta({ examples: [{ function: 'nightly-report:live', payload: { day: 1 } }] });

export type LambdaParams = z.infer<typeof lambdaParams>;

/** The function threw, timed out or ran out of memory. The job's `retry` applies. */
export class FunctionFailed extends Error {
  override readonly name = 'FunctionFailed';
}

const MAX_RESULT_CHARS = 2048;
const MAX_ERROR_CHARS = 500;
const MAX_ASYNC_BYTES = 1_048_576;

export const lambdaTask = (services: TaskServices): Task<LambdaParams> =>
  defineTask<LambdaParams>({
    name: 'lambda',
    description: 'Invokes a Lambda function. An error of the function fails the attempt.',
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
      `the payload has ${Buffer.byteLength(payload)} bytes; asynchronous events have at most ${MAX_ASYNC_BYTES}`,
    );
  const { InvokeCommand } = await import('@aws-sdk/client-lambda');
  const client = await aws.lambda();
  const answer = await callAws(`invoke the function "${params.function}"`, signal, () =>
    client.send(
      new InvokeCommand({
        FunctionName: params.function,
        InvocationType: sync ? 'RequestResponse' : 'Event',
        // Lambda passes the client context to the function in synchronous calls only.
        ClientContext: sync ? clientContext(context) : undefined,
        Payload: new TextEncoder().encode(payload),
      }),
      { abortSignal: signal },
    ),
  );
  if (!sync) return { status: answer.StatusCode };
  const text = new TextDecoder().decode(answer.Payload);
  if (answer.FunctionError !== undefined) throw new FunctionFailed(failureMessage(params.function, text));
  return { status: answer.StatusCode, version: answer.ExecutedVersion, result: parsed(text) };
}

const clientContext = (context: TaskContext<LambdaParams>): string => {
  const { executionId, attempt, idempotencyKey, dueAt, fence } = context;
  const custom = { executionId, attempt, idempotencyKey, dueAt: dueAt.toISOString(), fence };
  return Buffer.from(JSON.stringify({ custom })).toString('base64');
};

function failureMessage(name: string, text: string): string {
  const { errorType, errorMessage } = Object(parsed(text)) as { errorType?: unknown; errorMessage?: unknown };
  const what = [errorType, errorMessage].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return `the function "${name}" failed: ${truncateEnd(what || text, MAX_ERROR_CHARS)}`;
}

/** The parsed result. A long result becomes its truncated text, because the row stores it. */
function parsed(text: string): unknown {
  if (text === '') return null;
  if (text.length > MAX_RESULT_CHARS) return truncateEnd(text, MAX_RESULT_CHARS);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
