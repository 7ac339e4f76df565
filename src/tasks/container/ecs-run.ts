// Runs a container on Fargate until it ends, and survives the worker that started it: the container's ARN is saved as
// the checkpoint, so the next attempt waits for the same one; a worker that dies before it could save starts it again
// with the same client token, for which ECS answers with the container that is there.
import type { ECSClient, Task as EcsTask, RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { z } from 'zod';
import { dedupId } from '../aws/message-params.ts';
import { AwsFailure, awsFailure, callAws, entryFailure } from '../aws/sdk-errors.ts';
import type { TaskContext } from '../task.ts';

export interface EcsRun {
  readonly ecs: ECSClient;
  readonly input: RunTaskCommandInput & { readonly cluster: string };
  readonly context: TaskContext<unknown>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A worker that has stopped for this reason left its container running, for the next attempt to wait for. */
const LEAVES_IT_RUNNING = new Set(['shutdown', 'lease lost']);
const STOPPED_BY_US = 'Punctual: ';
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Right after its start ECS may not know a task yet; later it forgets a stopped one after an hour. */
const MISSING_AT_MOST = 6;
const FAILURES_AT_MOST = 10;
const STOP_WITHIN_MS = 1_500;

/** What is saved: how many containers of this execution have ended badly, and the ARN of the one that runs. */
const stateSchema = z.object({ ended: z.int().min(0), taskArn: z.string().optional() });
type State = z.infer<typeof stateSchema>;

export async function runOnEcs(run: EcsRun): Promise<EcsTask> {
  const { context } = run;
  const saved = stateSchema.safeParse(Object(context.lastCheckpoint).ecs);
  let state: State = saved.success ? saved.data : { ended: 0 };
  try {
    const found = state.taskArn === undefined ? undefined : await waitForEnd(run, state, state.taskArn);
    if (found && !stoppedByUs(found)) return await concluded(context, state, found);
    // there is none, or an earlier attempt has stopped it when its time was over: this attempt has one of its own
    if (found) state = { ended: state.ended + 1 };
    const taskArn = await start(run, state);
    state = { ...state, taskArn };
    await context.checkpoint({ ecs: state });
    return await concluded(context, state, await waitForEnd(run, state, taskArn));
  } catch (error) {
    if (context.signal.aborted) {
      await stopUnlessHandedOver(run, state.taskArn);
      throw context.signal.reason;
    }
    throw error;
  }
}

/** One that failed is not waited for again: the next attempt starts another. */
async function concluded(context: TaskContext<unknown>, state: State, task: EcsTask): Promise<EcsTask> {
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
  // "RESOURCE:…" and "Capacity is unavailable": there is no room now
  if (/RESOURCE|capacity/i.test(reason))
    throw new AwsFailure(`could not ${what}: ${reason} ${detail}`.trim());
  throw entryFailure(what, reason, detail);
}

/** The token was used with another input (a link to a script, for one, is never the same twice): it runs already. */
function alreadyStarted(error: unknown): { tasks: EcsTask[]; failures?: undefined } {
  const { name, resourceIds } = Object(error) as { name?: string; resourceIds?: string[] };
  const [taskArn] = name === 'ConflictException' ? (resourceIds ?? []) : [];
  if (taskArn === undefined) throw error;
  return { tasks: [{ taskArn }] };
}

/** The task when it has stopped. Single answers that fail are no news of the container. */
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
      const failure = awsFailure(`look at the container ${taskArn}`, error);
      if (!(failure instanceof AwsFailure) || ++failures === FAILURES_AT_MOST) throw failure;
    }
    if (missing === MISSING_AT_MOST) {
      await context.checkpoint({ ecs: { ended: ended + 1 } });
      throw new AwsFailure(
        `ECS knows nothing of the container ${taskArn} any more; how it ended is not known`,
      );
    }
    await sleep(pause, signal);
  }
}

const stoppedByUs = (task: EcsTask): boolean => task.stoppedReason?.startsWith(STOPPED_BY_US) ?? false;

async function stopUnlessHandedOver({ ecs, input, context }: EcsRun, taskArn?: string): Promise<void> {
  const { signal, executionId, log } = context;
  const why: unknown = Object(signal.reason).why;
  if (taskArn === undefined || LEAVES_IT_RUNNING.has(String(why))) return;
  const { StopTaskCommand } = await import('@aws-sdk/client-ecs');
  const reason = `${STOPPED_BY_US}${String(Object(signal.reason).message ?? 'told to stop')}`.slice(0, 255);
  const command = new StopTaskCommand({ cluster: input.cluster, task: taskArn, reason });
  await ecs.send(command, { abortSignal: AbortSignal.timeout(STOP_WITHIN_MS) }).catch((error: unknown) => {
    log.warn('a container could not be stopped', { executionId, taskArn, error: String(error) });
  });
}
