// Runs a container on Fargate until it ends. The container survives the worker that started it: its ARN is the checkpoint, and
// the next attempt waits for the same container. If a worker dies before the checkpoint, the next one starts the container with
// the same client token, and ECS returns the one that runs.
import type { ECSClient, Task as EcsTask, RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { z } from 'zod';
import { dedupId } from '../aws/message-params.ts';
import { AwsFailure, callAws, classifyAwsError, entryFailure } from '../aws/sdk-errors.ts';
import type { TaskContext } from '../task.ts';

export interface EcsRun {
  readonly ecs: ECSClient;
  readonly input: RunTaskCommandInput & { readonly cluster: string };
  readonly context: TaskContext<unknown>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Reasons of an abort after which the container keeps running. The next attempt waits for it. */
const KEEPS_RUNNING = new Set(['shutdown', 'lease lost']);
const STOPPED_BY_US = 'Punctual: ';
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Maximum number of responses without the task. Right after the start ECS may not list it, and an hour after its end. */
const MAX_MISSING = 6;
const MAX_FAILURES = 10;
const STOP_TIMEOUT_MS = 1_500;

/** The checkpoint: the number of failed containers of this execution, and the ARN of the running one. */
const stateSchema = z.object({ ended: z.int().min(0), taskArn: z.string().optional() });
type State = z.infer<typeof stateSchema>;

export async function runOnEcs(run: EcsRun): Promise<EcsTask> {
  const { context } = run;
  const saved = stateSchema.safeParse(Object(context.lastCheckpoint).ecs);
  let state: State = saved.success ? saved.data : { ended: 0 };
  try {
    const found = state.taskArn === undefined ? undefined : await waitForEnd(run, state, state.taskArn);
    if (found && !stoppedByUs(found)) return await recordEnd(context, state, found);
    // No container runs, or an earlier attempt stopped it at its timeout. This attempt starts its own.
    if (found) state = { ended: state.ended + 1 };
    const taskArn = await start(run, state);
    state = { ...state, taskArn };
    await context.checkpoint({ ecs: state });
    return await recordEnd(context, state, await waitForEnd(run, state, taskArn));
  } catch (error) {
    if (context.signal.aborted) {
      await stopUnlessHandedOver(run, state.taskArn);
      throw context.signal.reason;
    }
    throw error;
  }
}

/** Saves that a container failed, so that the next attempt starts another one. */
async function recordEnd(context: TaskContext<unknown>, state: State, task: EcsTask): Promise<EcsTask> {
  const failed = task.containers?.some(({ exitCode }) => exitCode !== 0) ?? true;
  if (failed) await context.checkpoint({ ecs: { ended: state.ended + 1 } });
  return task;
}

async function start({ ecs, input, context }: EcsRun, { ended }: State): Promise<string> {
  const what = `run the task definition "${input.taskDefinition}"`;
  const { RunTaskCommand } = await import('@aws-sdk/client-ecs');
  const clientToken = dedupId(`${context.idempotencyKey}-${ended + 1}`, 64);
  const { tasks = [], failures = [] } = await callAws(what, context.signal, () =>
    ecs
      .send(new RunTaskCommand({ ...input, clientToken }), { abortSignal: context.signal })
      .catch(alreadyStarted),
  );
  const taskArn = tasks[0]?.taskArn;
  if (taskArn !== undefined) return taskArn;
  const { reason = 'Unknown', detail = '' } = failures[0] ?? {};
  // "RESOURCE:…" and "Capacity is unavailable" are temporary.
  if (/RESOURCE|capacity/i.test(reason))
    throw new AwsFailure(`could not ${what}: ${reason} ${detail}`.trim());
  throw entryFailure(what, reason, detail);
}

/** ECS reports a conflict if the token was used with another input, such as another script link. The container runs. */
function alreadyStarted(error: unknown): { tasks: EcsTask[]; failures?: undefined } {
  const { name, resourceIds } = Object(error) as { name?: string; resourceIds?: string[] };
  const [taskArn] = name === 'ConflictException' ? (resourceIds ?? []) : [];
  if (taskArn === undefined) throw error;
  return { tasks: [{ taskArn }] };
}

/** Polls until the task has stopped. Up to `MAX_FAILURES` - 1 failed calls in a row are ignored. */
async function waitForEnd(
  { ecs, input, context, sleep }: EcsRun,
  { ended }: State,
  taskArn: string,
): Promise<EcsTask> {
  const { DescribeTasksCommand } = await import('@aws-sdk/client-ecs');
  const { signal } = context;
  const command = new DescribeTasksCommand({ cluster: input.cluster, tasks: [taskArn] });
  let missing = 0;
  let failures = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      const { tasks = [] } = await ecs.send(command, { abortSignal: signal });
      failures = 0;
      if (tasks[0]?.lastStatus === 'STOPPED') return tasks[0];
      missing = tasks.length === 0 ? missing + 1 : 0;
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyAwsError(`describe the container ${taskArn}`, error);
      if (!(failure instanceof AwsFailure) || ++failures === MAX_FAILURES) throw failure;
    }
    if (missing === MAX_MISSING) {
      await context.checkpoint({ ecs: { ended: ended + 1 } });
      throw new AwsFailure(`ECS no longer lists the container ${taskArn}; its exit code is unknown`);
    }
    await sleep(pause, signal);
  }
}

const stoppedByUs = (task: EcsTask): boolean => task.stoppedReason?.startsWith(STOPPED_BY_US) ?? false;

async function stopUnlessHandedOver({ ecs, input, context }: EcsRun, taskArn?: string): Promise<void> {
  const { signal, executionId, log } = context;
  const why: unknown = Object(signal.reason).why;
  if (taskArn === undefined || KEEPS_RUNNING.has(String(why))) return;
  const { StopTaskCommand } = await import('@aws-sdk/client-ecs');
  const reason = `${STOPPED_BY_US}${String(Object(signal.reason).message ?? 'stopped')}`.slice(0, 255);
  const command = new StopTaskCommand({ cluster: input.cluster, task: taskArn, reason });
  await ecs.send(command, { abortSignal: AbortSignal.timeout(STOP_TIMEOUT_MS) }).catch((error: unknown) => {
    log.warn('failed to stop a container', { executionId, taskArn, error: String(error) });
  });
}
