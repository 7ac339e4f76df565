// The life of a message in a worker: wait until due, take a place, claim, run, record the end (docs/protocol.md#claim).
import { ownerHash } from '../../domain/digest.ts';
import { executionId } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { KeyLimit } from '../../domain/jobs/concurrency-key.ts';
import type { Message, Received } from '../../queue/queue.ts';
import { claim, giveBack } from '../claiming/claim.ts';
import type { Claimed, ClaimResult } from '../claiming/claim-result.ts';
import { keyLimitOf, waitForSeat } from '../claiming/seats.ts';
import { type Context, isClockRight } from '../context.ts';
import { finishAttempt } from './finish-attempt.ts';
import { type MessageEnd, returnToQueue, whileHidden } from './message-visibility.ts';
import { type AttemptResult, runAttempt } from './run-attempt.ts';
import type { WorkerPort } from './worker-port.ts';

/** A message that is due later than this goes back to the queue until half of this time is left. */
const MAX_HELD_MS = 45_000;
/** The pause between the end of a task and its record, so that tasks that are due at the same instant start first. */
const YIELD_TO_STARTS_MS = 1;

export async function handleMessage(context: Context, worker: WorkerPort, received: Received): Promise<void> {
  const { message } = received;
  if (!message) return received.deadLetter('not a message of this scheduler');
  const returnAfterMs = cannotHold(context, message);
  if (returnAfterMs !== undefined) return returnToQueue(context, received, returnAfterMs);

  let entered: KeyLimit | undefined;
  let waited = false;
  try {
    await whileHidden(context, received, async (hidden) => {
      await waitUntilDue(context, worker, message);
      worker.places.markDue();
      const key = await keyOf(context, worker, message);
      if (key && !worker.keys.enter(key, message)) {
        waited = true;
        return waitInLine(context, worker, received, waitForSeat(context, key.head, message));
      }
      entered = key;
      if (!(await mayStart(context, worker))) return returned(worker);
      const result = await claimTracked(context, worker, message);
      if (result.kind !== 'run') {
        worker.places.release();
        if (result.kind === 'later' && result.waitsFor) {
          worker.keys.full(result.waitsFor);
          await worker.keys.leave(result.waitsFor, message, false);
          waited = true;
        }
        return waitInLine(context, worker, received, result);
      }
      hidden.replaceIfRedelivered(message);
      return run(context, worker, received, result.claimed);
    });
  } finally {
    if (entered && !waited) await worker.keys.leave(entered, message, true);
  }
}

/** Waits for the exact millisecond. By this machine's clock, no run starts early. */
async function waitUntilDue({ clock }: Context, { shutdown }: WorkerPort, message: Message): Promise<void> {
  const { fireAt } = message;
  const { draining } = shutdown;
  while (clock.now() < fireAt && !draining.aborted) await clock.sleep(fireAt - clock.now(), draining);
}

/**
 * The concurrency key of the message's job, so that a message which will find no seat takes no place. Undefined if the job has
 * none, or could not be read.
 */
async function keyOf(
  { store }: Context,
  { places }: WorkerPort,
  message: Message,
): Promise<(KeyLimit & { readonly head: Parameters<typeof keyLimitOf>[0] }) | undefined> {
  if (!message.keyed && message.owner !== undefined) return undefined;
  const head = await store.readHead(message.jobId, { consistent: false }).catch(() => undefined);
  if (!head) return undefined;
  places.ownedBy(head.userId);
  const limit = keyLimitOf(head);
  return limit && { ...limit, head };
}

/** False if the worker drains, has no place in time, or has a wrong clock. */
async function mayStart(context: Context, { shutdown, places }: WorkerPort): Promise<boolean> {
  return !shutdown.draining.aborted && (await places.acquire()) && isClockRight(context);
}

/** The message comes back at once for another worker. If its owner has its share, it comes back later. */
function returned({ places }: WorkerPort): MessageEnd {
  const returnAfterMs = places.returnAfterMs();
  places.release();
  return { returnAfterMs };
}

/** The claim, so that a change in the same process can wait for it. A drain that began meanwhile gives it back. */
async function claimTracked(context: Context, worker: WorkerPort, message: Message): Promise<ClaimResult> {
  const { claims, clock } = context;
  const { identity, shutdown } = worker;
  const claiming = (async (): Promise<ClaimResult> => {
    const result = await claim(context, identity.workerId, message);
    if (result.kind !== 'run' || !shutdown.draining.aborted) return result;
    await giveBack(context, result.claimed);
    return { kind: 'later', at: clock.now() };
  })();
  return claims ? claims.track(message.jobId, claiming) : claiming;
}

function waitInLine(
  { clock }: Context,
  { keys, handleAgain }: WorkerPort,
  received: Received,
  result: Exclude<ClaimResult, { kind: 'run' }>,
): MessageEnd {
  if (result.kind === 'drop') return 'delete';
  const at = result.waitsFor ? keys.wait(result.waitsFor, received, result.at, handleAgain) : result.at;
  return { returnAfterMs: Math.max(0, at - clock.now()) };
}

/** Runs one attempt of the task, and records its end. */
async function run(
  context: Context,
  { identity, shutdown, places }: WorkerPort,
  { receivedAt }: Received,
  claimed: Claimed,
): Promise<MessageEnd> {
  const { head, message, row } = claimed;
  const id = executionId(head.jobId, message.due);
  const owner = message.owner ?? ownerHash(head.userId);
  places.running.add({ id, since: row.startedAt ?? context.clock.now(), owner });
  try {
    const published = context.publisher?.started(claimed);
    const attempt = await runAttempt(
      context,
      { tasks: identity.tasks, aborting: shutdown.aborting },
      claimed,
    );
    places.release();
    await context.clock.sleep(YIELD_TO_STARTS_MS);
    await places.turn('record');
    await published;
    return await finish(context, claimed, attempt, receivedAt);
  } finally {
    places.running.remove(id);
  }
}

/** Records the end of the attempt. */
async function finish(
  context: Context,
  claimed: Claimed,
  { outcome, startedAt }: AttemptResult,
  receivedAt: number,
): Promise<MessageEnd> {
  if (!outcome) return endWithoutLease(context, claimed);
  const finished = await finishAttempt(context, claimed, outcome, { receivedAt, startedAt });
  if (finished) logEnd(context, claimed, finished);
  else
    context.log.warn('discarded a result because another worker has taken over', {
      executionId: executionId(claimed.row.jobId, claimed.row.due),
    });
  return 'delete';
}

/** Undefined if the worker can hold the message until its fire time. Else the time until another worker may receive it. */
function cannotHold(context: Context, { fireAt }: Message): number | undefined {
  if (!isClockRight(context)) return 0;
  const dueInMs = fireAt - context.clock.now();
  return dueInMs > MAX_HELD_MS ? dueInMs - MAX_HELD_MS / 2 : undefined;
}

/** The worker that takes over decides about the execution, so there is nothing to record. */
function endWithoutLease({ log, settings }: Context, { head, row }: Claimed): MessageEnd {
  const id = executionId(row.jobId, row.due);
  log.info('lost a lease', { executionId: id, task: head.task, attempt: row.attempt });
  return { returnAfterMs: settings.clockSkewMs };
}

/** One line per attempt at the level `info`. */
function logEnd({ log }: Context, { head, message }: Claimed, row: Row): void {
  const { startedAt = 0, finishedAt, attempt, maxAttempts, status, error } = row;
  log.info('finished an attempt', {
    executionId: executionId(row.jobId, row.due),
    jobId: row.jobId,
    userId: head.userId,
    task: head.task,
    status,
    attempt,
    maxAttempts,
    latenessMs: startedAt - message.fireAt,
    ...(finishedAt !== undefined && { durationMs: finishedAt - startedAt }),
    ...(error && { error: `${error.name}: ${error.message}` }),
  });
}
