// The life of one message in a worker: held until its fire time, claimed, run, finished, deleted.
import { executionId } from '../domain/ids.ts';
import type { Message, Received } from '../queue/queue.ts';
import type { Tasks } from '../tasks/task.ts';
import type { Claimed } from './answers.ts';
import { claim, type Prepared, prepare } from './claim.ts';
import type { Context } from './context.ts';
import { finish } from './finish.ts';
import { runTask } from './run.ts';

export interface WorkerSide {
  readonly workerId: string;
  readonly tasks: Tasks;
  /** Nothing new starts; what is in hand and not started is handed back. */
  readonly draining: AbortSignal;
  /** The drain's deadline is over: what runs is told to stop. */
  readonly aborting: AbortSignal;
  /** Asked when a message is due and before its claim; false: there is no place for it here, hand it back. */
  admit(): Promise<boolean>;
  /** For the worker's row: what it runs. */
  readonly running: { add(executionId: string, startedAt: number): void; remove(executionId: string): void };
}

/** Why timers end that are no longer needed. Without a reason each abort makes an exception with its stack: 7 % of the CPU. */
export const OVER = 'over';

/** Longer than this before its fire time a message waits in the queue, not in our hands. */
const HOLD_AT_MOST_MS = 45_000;
/** How long before its fire time, at least, head and holder's row are read ahead. */
const PREPARE_AHEAD_MS = 250;
/** Reads ahead begin at whole multiples of this, so that the store can make one request of those of many messages. */
const PREPARE_EVERY_MS = 50;

export async function execute(context: Context, worker: WorkerSide, received: Received): Promise<void> {
  const { message } = received;
  if (!message) return received.bury('not a message of this scheduler');
  const { clock, settings } = context;
  const early = message.fireAt - clock.now();
  if (early > HOLD_AT_MOST_MS) return received.hide(early - HOLD_AT_MOST_MS / 2);

  const handled = new AbortController();
  const visible = keepInvisible(context, received, handled.signal);
  let hideFor: number | 'deleted' = 0;
  try {
    const prepared = await waitUntilDue(context, message, worker.draining);
    if (worker.draining.aborted || !(await worker.admit())) return;
    const answer = await claim(context, worker.workerId, message, prepared);
    if (answer.kind === 'later') hideFor = Math.max(0, answer.at - clock.now());
    if (answer.kind === 'run') hideFor = await runClaimed(context, worker, received, answer.claimed);
    if (answer.kind === 'done') hideFor = 'deleted';
  } catch (error) {
    hideFor = settings.clockSkewMs;
    throw error;
  } finally {
    handled.abort(OVER);
    await visible;
    if (hideFor === 'deleted') await received.delete();
    else await received.hide(hideFor);
  }
}

/** Runs and finishes; says for how long the message is to be hidden then. */
async function runClaimed(
  context: Context,
  worker: WorkerSide,
  received: Received,
  claimed: Claimed,
): Promise<number | 'deleted'> {
  const { log, settings } = context;
  const id = executionId(claimed.head.jobId, claimed.message.due);
  worker.running.add(id, claimed.hold.startedAt);
  try {
    const told = context.tell?.started(claimed);
    const ran = await runTask(context, worker, claimed);
    await told;
    // nothing to record: the lease was lost, and whoever takes over decides
    if (!ran.outcome) return settings.clockSkewMs;
    const times = { receivedAt: received.receivedAt, startedAt: ran.startedAt };
    const row = await finish(context, { ...claimed, row: ran.row }, ran.outcome, times);
    if (!row) log.warn('the result was refused: another worker has taken over', { executionId: id });
    return 'deleted';
  } finally {
    worker.running.remove(id);
  }
}

/** Reads ahead, then waits for the millisecond. Never early by our own clock. */
async function waitUntilDue(
  context: Context,
  message: Message,
  draining: AbortSignal,
): Promise<Prepared | undefined> {
  const { clock, log } = context;
  const prepareAt = Math.floor((message.fireAt - PREPARE_AHEAD_MS) / PREPARE_EVERY_MS) * PREPARE_EVERY_MS;
  await clock.sleep(prepareAt - clock.now(), draining);
  if (draining.aborted) return undefined;
  const prepared = await prepare(context, message).catch((error) => {
    log.debug('reading ahead failed; the claim reads again', { error: String(error) });
    return undefined;
  });
  while (clock.now() < message.fireAt && !draining.aborted)
    await clock.sleep(message.fireAt - clock.now(), draining);
  return prepared;
}

/** From receipt on, the message stays ours; if it does not, a duplicate is handed out, and that is harmless. */
async function keepInvisible(
  { clock, settings, log }: Context,
  received: Received,
  handled: AbortSignal,
): Promise<void> {
  while (!handled.aborted) {
    await clock.sleep(settings.heartbeatMs, handled);
    if (handled.aborted) return;
    await received
      .hide(settings.leaseMs)
      .catch((error) => log.warn('could not keep a message hidden', { error: String(error) }));
  }
}
