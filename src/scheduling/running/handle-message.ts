// The life of a message in a worker: claim early, wait until due, start, run, finish (docs/protocol.md#claim).

import { ownerHash } from '../../domain/digest.ts';
import { executionId } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { KeyName } from '../../domain/jobs/concurrency-key.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message, Received } from '../../queue/queue.ts';
import { claim, type Prepared, prepare } from '../claiming/claim.ts';
import { claimEarly } from '../claiming/claim-early.ts';
import { type Claimed, type DecidedClaim, isRetry } from '../claiming/claim-result.ts';
import { type AcquiredHold, confirmStart, undoClaim } from '../claiming/confirm-start.ts';
import { EARLIEST_CLAIM_MS, earlyClaimAt } from '../claiming/early-claim-time.ts';
import { keyLimitOf, waitForSlot } from '../claiming/key-slots.ts';
import { type Context, isClockRight } from '../context.ts';
import { finishAttempt } from './finish-attempt.ts';
import { type MessageEnd, returnToQueue, whileHidden } from './message-visibility.ts';
import { type AttemptResult, runAttempt } from './run-attempt.ts';
import type { WorkerPort } from './worker-port.ts';

/** A message that is due later than this goes back to the queue until half of this time is left. */
const MAX_HELD_MS = 45_000;
/** The pause between the end of a task and its finish, so that tasks that are due at the same instant start first. */
const YIELD_TO_STARTS_MS = 1;

export async function handleMessage(context: Context, worker: WorkerPort, received: Received): Promise<void> {
  const { message } = received;
  if (!message) return received.deadLetter('not a message of this scheduler');
  const returnAfterMs = cannotHold(context, message);
  if (returnAfterMs !== undefined) return returnToQueue(context, received, returnAfterMs);

  const waited = worker.keys?.received(message);
  let entered: KeyName | undefined;
  const mayAsk: MayAsk = (head) => {
    const limit = keyLimitOf(head);
    if (!limit || !worker.keys) return true;
    if (!worker.keys.enter(limit, message, waited?.isWoken === true)) return false;
    entered = limit;
    return true;
  };
  const leave = () => entered && worker.keys?.leave(entered, message);
  let early: EarlyClaim = {};
  let started: DecidedClaim | undefined;
  await whileHidden(context, received, async (hidden) => {
    early = await tryClaimEarly(context, worker, message, mayAsk);
    // others may ask until this execution is due
    if (!early.acquired) leave();
    await waitUntilDue(context, worker, message);
    started = spaceOut(context, worker, await start(context, worker, message, early, mayAsk));
    if (started.kind !== 'run') return endWithoutRun(context, started);
    hidden.replaceIfRedelivered(message);
    const attempt = await run(context, worker, started.claimed);
    return finish(context, worker, received, started.claimed, attempt);
  }).finally(leave);
  const key = waited?.key ?? (early.prepared && keyLimitOf(early.prepared.head));
  if (key && started)
    await leaveSlotToNext(context, worker, received, started, { key, since: waited?.since ?? 0 });
}

/** Whether the execution may look for a slot of its concurrency key. Always true for a job without one. */
type MayAsk = (head: Head) => boolean;

/** The steps that were done before the fire time. */
interface EarlyClaim {
  /** Undefined if the job could not be read. */
  readonly prepared?: Prepared | undefined;
  /** Undefined if the job is to be claimed at its fire time. */
  readonly acquired?: AcquiredHold | undefined;
}

/** Claims the job before its fire time if nothing is unusual about it. Nothing but the start is left to do then. */
async function tryClaimEarly(
  context: Context,
  worker: WorkerPort,
  message: Message,
  mayAsk: MayAsk,
): Promise<EarlyClaim> {
  const { clock } = context;
  const { identity, shutdown, slots } = worker;
  if (message.fireAt <= clock.now()) slots.markDue();
  // the load is measured a second before, when all messages of the same fire time have arrived
  await clock.sleep(message.fireAt - EARLIEST_CLAIM_MS - clock.now(), shutdown.draining);
  await clock.sleep(earlyClaimAt(message, slots.messagesInHand()) - clock.now(), shutdown.draining);
  const turn = slots.turn?.('claim');
  if (turn) await turn;
  if (shutdown.draining.aborted) return {};
  const prepared = await tryPrepare(context, message);
  if (prepared) slots.ownedBy?.(prepared.head.userId);
  const mayClaim =
    prepared &&
    !shutdown.draining.aborted &&
    isClockRight(context) &&
    mayAsk(prepared.head) &&
    slots.reserve();
  if (!mayClaim) return { prepared };
  return { prepared, acquired: await claimEarly(context, identity.workerId, message, prepared) };
}

/** Waits for the exact millisecond. By this machine's clock, no run starts early. */
async function waitUntilDue({ clock }: Context, { shutdown }: WorkerPort, message: Message): Promise<void> {
  const { fireAt } = message;
  const { draining } = shutdown;
  while (clock.now() < fireAt && !draining.aborted) await clock.sleep(fireAt - clock.now(), draining);
}

/** The longest delay between two questions of a message that waits, however many wait. */
const MAX_SPACING_MS = 30_000;

/** Messages that wait for one key in this worker do not all ask again within a second. An end wakes the next one anyway. */
function spaceOut<T extends DecidedClaim>({ clock, random }: Context, { keys }: WorkerPort, claim: T): T {
  if (claim.kind !== 'later' || !claim.waitsFor || !keys) return claim;
  const spacingMs = Math.min(MAX_SPACING_MS, keys.spacingMs(claim.waitsFor)) * (0.75 + 0.5 * random.float());
  return { ...claim, at: Math.max(claim.at, Math.round(clock.now() + spacingMs)) };
}

/** Remembers a message that waits for a slot of its key. A message that needs no slot leaves it to the next one. */
async function leaveSlotToNext(
  { clock }: Context,
  { keys, handleAgain = () => {} }: WorkerPort,
  received: Received,
  end: DecidedClaim,
  { key, since }: { readonly key: KeyName; readonly since: number },
): Promise<void> {
  if (end.kind === 'later' && end.waitsFor)
    await keys?.returned(end.waitsFor, received, end.at - clock.now(), since, handleAgain);
  else if (end.kind !== 'run') await keys?.passOn(key);
}

/** Starts an early claim, or claims the job now. */
async function start(
  context: Context,
  worker: WorkerPort,
  message: Message,
  { prepared, acquired }: EarlyClaim,
  mayAsk: MayAsk,
): Promise<DecidedClaim> {
  worker.slots.markDue();
  if (acquired) {
    if (!(await mayStart(context, worker))) return returnUnstarted(context, worker, acquired);
    const confirmed = await confirmStart(context, acquired, undefined);
    if (!isRetry(confirmed)) return confirmed;
  }
  if (prepared && !mayAsk(prepared.head)) return waitForSlot(context, prepared.head, message);
  if (!(await mayStart(context, worker))) return returned(context, worker);
  const ends = worker.keys?.ends ?? 0;
  // the head that an early claim was based on is outdated
  const claimed = await claim(context, worker.identity.workerId, message, acquired ? undefined : prepared);
  if (claimed.kind === 'later' && claimed.waitsFor) worker.keys?.markFull(claimed.waitsFor, ends);
  return claimed;
}

/** Runs one attempt of the task in the acquired run slot. */
async function run(
  context: Context,
  { identity, shutdown, slots }: WorkerPort,
  claimed: Claimed,
): Promise<AttemptResult> {
  const { head, message, hold } = claimed;
  const owner = message.owner ?? ownerHash(head.userId);
  slots.running.add({ id: executionId(head.jobId, message.due), since: hold.startedAt, owner });
  const published = context.publisher?.started(claimed);
  const attempt = await runAttempt(context, { tasks: identity.tasks, aborting: shutdown.aborting }, claimed);
  slots.release();
  await context.clock.sleep(YIELD_TO_STARTS_MS);
  await slots.turn?.('record');
  await published;
  return attempt;
}

/** Records the end of the attempt. */
async function finish(
  context: Context,
  { slots, keys }: WorkerPort,
  { receivedAt }: Received,
  claimed: Claimed,
  { outcome, startedAt, row }: AttemptResult,
): Promise<MessageEnd> {
  const id = executionId(claimed.head.jobId, claimed.message.due);
  try {
    if (!outcome) return endWithoutLease(context, claimed);
    const finished = await finishAttempt(context, { ...claimed, row }, outcome, { receivedAt, startedAt });
    if (finished && claimed.slot) await keys?.ended(claimed.slot, claimed.message);
    if (finished) logEnd(context, claimed, finished);
    else context.log.warn('discarded a result because another worker has taken over', { executionId: id });
    return 'delete';
  } finally {
    slots.running.remove(id);
  }
}

// The exceptions to the normal path follow.

/** Undefined if the worker can hold the message until its fire time. Else the time until another worker may receive it. */
function cannotHold(context: Context, { fireAt }: Message): number | undefined {
  if (!isClockRight(context)) return 0;
  const dueInMs = fireAt - context.clock.now();
  return dueInMs > MAX_HELD_MS ? dueInMs - MAX_HELD_MS / 2 : undefined;
}

/** Undefined if the job does not exist or the read failed. The claim at the fire time reads again. */
async function tryPrepare(context: Context, message: Message): Promise<Prepared | undefined> {
  return prepare(context, message).catch((error) => {
    context.log.debug('failed to read a job before its fire time', { error: String(error) });
    return undefined;
  });
}

/** False if the worker drains, has no run slot in time, or has a wrong clock. */
async function mayStart(context: Context, { shutdown, slots }: WorkerPort): Promise<boolean> {
  return !shutdown.draining.aborted && (await slots.acquire()) && isClockRight(context);
}

/** The message comes back at once for another worker. If its owner has its share, it comes back later. */
const returned = ({ clock }: Context, { slots }: WorkerPort): DecidedClaim => ({
  kind: 'later',
  at: clock.now() + (slots.returnAfterMs?.() ?? 0),
});

async function returnUnstarted(
  context: Context,
  worker: WorkerPort,
  acquired: AcquiredHold,
): Promise<DecidedClaim> {
  await undoClaim(context, acquired);
  return returned(context, worker);
}

function endWithoutRun({ clock }: Context, claim: Exclude<DecidedClaim, { kind: 'run' }>): MessageEnd {
  return claim.kind === 'drop' ? 'delete' : { returnAfterMs: Math.max(0, claim.at - clock.now()) };
}

/** The worker that takes over decides about the execution, so there is nothing to record. */
function endWithoutLease({ log, settings }: Context, { head, message, hold }: Claimed): MessageEnd {
  const id = executionId(head.jobId, message.due);
  log.info('lost a lease', { executionId: id, task: head.task, attempt: hold.attempt });
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
