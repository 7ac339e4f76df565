// The life of one message in a worker: held until its fire time, claimed, run, finished, deleted.

import { ownerHash } from '../../domain/digest.ts';
import { executionId } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import { hash } from '../../domain/hash.ts';
import type { Message, Received } from '../../queue/queue.ts';
import type { RunningExecution } from '../../store/store.ts';
import type { Tasks } from '../../tasks/task.ts';
import { claim, type Prepared, prepare } from '../claiming/claim.ts';
import { claimEarly } from '../claiming/claim-early.ts';
import { type Claim, type Claimed, RETRY } from '../claiming/claim-result.ts';
import { type AcquiredHold, start, undoClaim } from '../claiming/confirm-start.ts';
import { type Context, isClockRight, type Log } from '../context.ts';
import { finishAttempt } from './finish-attempt.ts';
import { keepHidden } from './message-visibility.ts';
import { runAttempt } from './run-attempt.ts';

export interface WorkerPort {
  readonly workerId: string;
  readonly tasks: Tasks;
  /** Nothing new starts; what is in hand and not started is handed back. */
  readonly draining: AbortSignal;
  /** The drain's deadline is over: what runs is told to stop. */
  readonly aborting: AbortSignal;
  /** Told, once or twice, when its time has come: from now on it is worked on. */
  begin(): void;
  /** Asked a little before a message is due: will there be a place for it? Then the job is taken already. */
  mayTakeAhead(): boolean;
  /** Asked when a message is due: a place to run it, now or after a wait. False: there is none, and it is handed back. */
  admit(): Promise<boolean>;
  /** The task has ended: its place is free. */
  leave(): void;
  /** Resolves when no job that is due waits for its start. Undefined: none does. */
  afterStarts?(): Promise<void> | undefined;
  /** Messages that have come and are not through yet. */
  inHand(): number;
  /** For the worker's row: what it runs. */
  readonly running: { add(execution: RunningExecution): void; remove(executionId: string): void };
}

/** Longer than this before its fire time a message waits in the queue, not in our hands. */
const MAX_HELD_MS = 45_000;
/**
 * How long before its fire time, at least, head and holder's row are read ahead and the job is taken. Spread by job: what
 * is due at the same instant need not be written at the same instant. In all shorter than CHANGE_RETURNS_AFTER_MS.
 */
const AHEAD_MS = 150;
const AHEAD_SPREAD_MS = 250;
/** The more messages a worker has in hand, the earlier it begins: so much for each, and so much at most. */
const AHEAD_PER_MESSAGE_MS = 0.15;
const AHEAD_FOR_CROWD_MS = 700;
/** The end of a task is recorded after the starts of the jobs that are due at the same instant. */
const AFTER_STARTS_MS = 1;
/** The earliest claim before a fire time. A message must have been delivered by then. */
export const EARLIEST_CLAIM_MS = AHEAD_MS + AHEAD_SPREAD_MS + AHEAD_FOR_CROWD_MS;
/** Reads ahead begin at whole multiples of this, so that the store can make one request of those of many messages. */
const AHEAD_EVERY_MS = 50;

export async function handleMessage(context: Context, worker: WorkerPort, received: Received): Promise<void> {
  const { message } = received;
  if (!message) return received.deadLetter('not a message of this scheduler');
  // the message goes to a worker whose clock is right
  if (!isClockRight(context)) return received.setVisibility(0);
  const { clock, settings } = context;
  const early = message.fireAt - clock.now();
  if (early > MAX_HELD_MS) return received.setVisibility(early - MAX_HELD_MS / 2);
  if (early <= 0) worker.begin();

  const inHand = keepHidden(context, received);
  let hideFor: number | 'deleted' = 0;
  try {
    const prepared = await readAhead(context, worker, message);
    const taken = prepared && (await tryClaimEarly(context, worker, message, prepared));
    await waitUntilDue(context, message, worker.draining);
    worker.begin();
    let answer = taken ? await startClaimed(context, worker, taken) : RETRY;
    if (answer.kind === 'retry' || answer.kind === 'retryConsistent') {
      if (!(await mayStart(context, worker))) return;
      answer = await claim(context, worker.workerId, message, taken ? undefined : prepared);
    }
    if (answer.kind === 'later') hideFor = Math.max(0, answer.at - clock.now());
    if (answer.kind === 'run') {
      const sent = inHand.mayBeElsewhere() && sendAgain(context, message);
      hideFor = await runClaimed(context, worker, received, answer.claimed);
      await sent;
    }
    if (answer.kind === 'drop') hideFor = 'deleted';
  } catch (error) {
    hideFor = settings.clockSkewMs;
    throw error;
  } finally {
    await inHand.release();
    if (hideFor !== 'deleted') await received.setVisibility(hideFor);
    // by a message that was handed out again, another worker may have taken the execution since
    else if (!inHand.mayBeElsewhere()) await received.delete();
  }
}

/**
 * Another worker may have deleted the message because it saw the job before this take. The execution would have no message
 * then, and would stand until settle comes by if this worker died.
 */
async function sendAgain({ queue, clock, settings, log }: Context, message: Message): Promise<void> {
  const at = clock.now();
  await queue
    .send([{ ...message, fireAt: at + settings.leaseMs, enqueuedAt: at }])
    .catch((error) => log.warn('could not send a message again', { error: String(error) }));
}

/** Runs and finishes; says for how long the message is to be hidden then. */
async function runClaimed(
  context: Context,
  worker: WorkerPort,
  received: Received,
  claimed: Claimed,
): Promise<number | 'deleted'> {
  const { clock, log, settings } = context;
  const id = executionId(claimed.head.jobId, claimed.message.due);
  const owner = claimed.message.owner ?? ownerHash(claimed.head.userId);
  worker.running.add({ id, since: claimed.hold.startedAt, owner });
  try {
    const published = context.publisher?.started(claimed);
    const ran = await runAttempt(context, worker, claimed);
    worker.leave();
    await clock.sleep(AFTER_STARTS_MS);
    await worker.afterStarts?.();
    await published;
    // nothing to record: the lease was lost, and whoever takes over decides
    if (!ran.outcome) {
      log.info('lost a lease', { executionId: id, task: claimed.head.task, attempt: claimed.hold.attempt });
      return settings.clockSkewMs;
    }
    const times = { receivedAt: received.receivedAt, startedAt: ran.startedAt };
    const row = await finishAttempt(context, { ...claimed, row: ran.row }, ran.outcome, times);
    if (row) reportEnd(log, claimed, row);
    else log.warn('the result was refused: another worker has taken over', { executionId: id });
    return 'deleted';
  } finally {
    worker.running.remove(id);
  }
}

/** One line per attempt at the level `info`. */
function reportEnd(log: Log, { head, message }: Claimed, row: Row): void {
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

/** Undefined: nothing was found, or it could not be read. The claim reads again. */
async function readAhead(
  context: Context,
  { draining, inHand }: WorkerPort,
  message: Message,
): Promise<Prepared | undefined> {
  const { clock, log } = context;
  // as many as there are a second before: those of one instant have all come by then
  await clock.sleep(message.fireAt - EARLIEST_CLAIM_MS - clock.now(), draining);
  const crowd = Math.min(inHand() * AHEAD_PER_MESSAGE_MS, AHEAD_FOR_CROWD_MS);
  const ahead = AHEAD_MS + (hash(message.jobId) % (AHEAD_SPREAD_MS + crowd));
  const at = Math.floor((message.fireAt - ahead) / AHEAD_EVERY_MS) * AHEAD_EVERY_MS;
  await clock.sleep(at - clock.now(), draining);
  if (draining.aborted) return undefined;
  return prepare(context, message).catch((error) => {
    log.debug('reading ahead failed; the claim reads again', { error: String(error) });
    return undefined;
  });
}

const LATER: Claim = { kind: 'later', at: 0 };

/** Undefined: it is claimed at its time. */
async function tryClaimEarly(
  context: Context,
  worker: WorkerPort,
  message: Message,
  prepared: Prepared,
): Promise<AcquiredHold | undefined> {
  if (worker.draining.aborted || !isClockRight(context) || !worker.mayTakeAhead()) return undefined;
  return claimEarly(context, worker.workerId, message, prepared);
}

/** False: the worker drains, it has no run slot, or its clock is wrong. The message is handed back. */
async function mayStart(context: Context, worker: WorkerPort): Promise<boolean> {
  return !worker.draining.aborted && (await worker.admit()) && isClockRight(context);
}

async function startClaimed(context: Context, worker: WorkerPort, taken: AcquiredHold): Promise<Claim> {
  if (await mayStart(context, worker)) return start(context, taken, undefined);
  await undoClaim(context, taken);
  return LATER;
}

/** For the millisecond. Never early by our own clock. */
async function waitUntilDue({ clock }: Context, { fireAt }: Message, draining: AbortSignal): Promise<void> {
  while (clock.now() < fireAt && !draining.aborted) await clock.sleep(fireAt - clock.now(), draining);
}
