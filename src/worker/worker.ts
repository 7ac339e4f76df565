// The worker's runtime. It receives messages and calls `handleMessage` for each, independently of all others, so that a slow job
// delays no other. Its row in the store shows what it runs. When it is stopped, it drains.
import { backoffMs } from '../concurrency/backoff.ts';
import { createFairShare } from '../concurrency/fair-share.ts';
import { LoopTurns } from '../concurrency/loop-turns.ts';
import { withDeadline } from '../concurrency/with-deadline.ts';
import { executionId } from '../domain/executions/ids.ts';
import { isTerminal } from '../domain/executions/row.ts';
import type { OwnerLimits } from '../domain/jobs/owner-limits.ts';
import { createLimitValues } from '../jobs/limits/limit-values.ts';
import { groupOf, type Message, type Received, type Receiver } from '../queue/queue.ts';
import { VERSION } from '../runtime/version.ts';
import { type Context, isClockRight } from '../scheduling/context.ts';
import { handleMessage } from '../scheduling/running/handle-message.ts';
import { KeyLines } from '../scheduling/running/key-lines.ts';
import { returnToQueue } from '../scheduling/running/message-visibility.ts';
import { TURN_RANKS, type WorkerPort } from '../scheduling/running/worker-port.ts';
import { observeRows } from '../store/observe-rows.ts';
import type { RunningExecution, WorkerRow } from '../store/store.ts';
import type { Tasks } from '../tasks/task.ts';
import { EndedCounts } from './ended-counts.ts';
import { openPort, refusedMs, type SharedByMessages } from './message-port.ts';
import { MessagesInHand } from './messages-in-hand.ts';
import { Places } from './places.ts';
import { RefusedOwners } from './refused-owners.ts';
import { createRunningLimits } from './running-limits.ts';

export interface WorkerOptions {
  readonly workerId: string;
  /** The name of the machine or container, shown in the worker's row. */
  readonly host: string;
  readonly tasks: Tasks;
  readonly receivers: readonly Receiver[];
  /** Number of places. Default DEFAULT_CONCURRENCY. */
  readonly concurrency?: number;
  /** The largest share of places and of messages in hand that one owner alone may have. 1: no limit. Default 0.8. */
  readonly ownerShare?: number;
  /** The limits of owners for whom operators have set none. Undefined if running executions are not limited. */
  readonly limits?: OwnerLimits;
  /** Maximum number of messages in hand. Default 63 × concurrency, of which 10 × concurrency may be due. */
  readonly maxInHand?: number;
  /** Concurrent long polls per receiver. Default 2, so that one waits for messages while the other receives some. */
  readonly pollersPerQueue?: number;
  /** Maximum number of messages of one receive. Default 10, which is SQS's limit. */
  readonly maxPerReceive?: number;
  /** The pause after a receive that brought fewer messages than it asked for. Default 50 ms. */
  readonly pauseAfterFewMs?: number;
  readonly handleMessage?: HandleMessage;
}

export type HandleMessage = (context: Context, worker: WorkerPort, received: Received) => Promise<void>;

export interface Worker {
  readonly workerId: string;
  /** The executions that run now, and since when. */
  running(): RunningExecution[];
  /**
   * Receives no more messages, returns those that have not started, and waits for running tasks until the deadline. Then it tells
   * them to stop. A repeated call returns the same promise.
   */
  stop(options: { deadlineMs: number }): Promise<Drained>;
}

export interface Drained {
  /** Tasks that were running when the drain began. */
  readonly running: number;
  /** Tasks that were told to stop at the deadline. */
  readonly toldToStop: number;
  /** Tasks that did not stop. Other workers take them over when their leases end. */
  readonly leftBehind: number;
}

export const DEFAULT_CONCURRENCY = 100;
/** Due messages in hand per place. Ten slots' worth is a second of 100 ms jobs. More would keep work from other workers. */
const MAX_DUE_PER_PLACE = 10;
/**
 * Messages in hand per place, due or not. A message arrives 1 to 2 s before its fire time, because SQS delays in whole
 * seconds. Until then it costs a timer only. Thousands that are due at the same instant should have arrived by then.
 */
export const HELD_PER_PLACE = 63;
const MAX_PER_RECEIVE = 10;
/** Starts and ends per turn of the event loop, about 6 ms of CPU. A timer that fires meanwhile waits for the turn to end. */
const PER_TURN = 60;
/**
 * The pause after a poll that brought fewer messages than it asked for, so that the next one brings more. Each request has its
 * price and costs a millisecond of CPU. Messages arrive a second before their fire time, and the other poll receives urgent ones.
 */
export const PAUSE_AFTER_FEW_MS = 50;
/**
 * The pause after a full poll of which no message was accepted, because its owners have their share. Messages of other owners may
 * be next in the queue, so it is short. It limits the requests that a flood of one owner costs.
 */
export const PAUSE_AFTER_REFUSALS_MS = 20;
export const BEAT_MS = 10_000;
/** How long tasks that were told to stop may take to record their end. */
export const STOP_GRACE_MS = 5000;
/** While the machine's clock is wrong, nothing is received. The clock is checked again after this time. */
export const WRONG_CLOCK_MS = 1_000;
const POLL_BACKOFF = { baseMs: 200, maxMs: 10_000 };

export function startWorker(context: Context, options: WorkerOptions): Worker {
  const { clock, log, random, store } = context;
  const { workerId, receivers, tasks } = options;
  const run = options.handleMessage ?? handleMessage;
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const maxDueInHand = options.maxInHand ?? concurrency * MAX_DUE_PER_PLACE;
  const maxInHand = options.maxInHand ?? concurrency * HELD_PER_PLACE;
  const { maxPerReceive = MAX_PER_RECEIVE, pauseAfterFewMs = PAUSE_AFTER_FEW_MS } = options;
  const pollers = receivers.flatMap((receiver) =>
    Array<Receiver>(options.pollersPerQueue ?? 2).fill(receiver),
  );

  const draining = new AbortController();
  const aborting = new AbortController();
  const gone = new AbortController();
  const share = createFairShare(options.ownerShare);
  const limits =
    options.limits && createRunningLimits(context, createLimitValues(context, options.limits), workerId);
  const places = new Places(concurrency, clock, share, limits?.maxOf);
  const hand = new MessagesInHand({ maxAll: maxInHand, maxDue: maxDueInHand }, share);
  const refused = new RefusedOwners();
  const handling = new Set<Promise<void>>();
  const keys = new KeyLines(context);
  const runningNow = new Map<string, RunningExecution>();
  const ended = new EndedCounts();
  const counting: Context = {
    ...context,
    store: observeRows(store, {
      after: ({ status }) => {
        if (isTerminal(status)) ended.add(status, clock.now());
      },
    }),
  };
  const startedAt = clock.now();
  let roomChanged = Promise.withResolvers<void>();
  const shared: SharedByMessages = {
    identity: { workerId, tasks },
    shutdown: { draining: draining.signal, aborting: aborting.signal },
    turns: new LoopTurns(PER_TURN, TURN_RANKS),
    ...{ clock, random, places, hand, refused, limits, runningNow, keys, announceRoom },
    handleAgain: (received, receiver) => void accept(received, receiver, new Set()),
  };

  /**
   * The number of messages that the next poll may ask for. All of them may be due, so it is this poller's share of the free slots.
   * If fewer slots are free when they arrive, the others wait for a slot and then return to the queue.
   */
  const room = () => Math.min(maxPerReceive, Math.ceil(places.free / pollers.length), hand.room);

  /** Adds the message to the hand. False if its owner has its share, or if it is due and can expect no place. */
  function admit(message: Message): boolean {
    const owner = groupOf(message);
    const isDue = message.fireAt <= clock.now();
    return (!isDue || places.isExpected(owner)) && hand.tryAdd(owner);
  }

  async function poll(receiver: Receiver): Promise<void> {
    for (let failures = 0; !draining.signal.aborted; ) {
      if (!isClockRight(context)) {
        await clock.sleep(WRONG_CLOCK_MS, draining.signal);
        continue;
      }
      const max = room();
      if (max < 1) {
        await roomChanged.promise;
        continue;
      }
      try {
        // messages that arrive as the drain begins are handled too: they return to the queue at once, not after their timeout
        const admitted = new Set<Message>();
        const received = await receiver.receive(max, draining.signal, (message) => {
          const isAdmitted = admit(message);
          if (isAdmitted) admitted.add(message);
          return isAdmitted;
        });
        let accepted = 0;
        for (const one of received) if (accept(one, receiver, admitted)) accepted++;
        failures = 0;
        if (received.length < max) await clock.sleep(pauseAfterFewMs, draining.signal);
        else if (accepted === 0) await clock.sleep(PAUSE_AFTER_REFUSALS_MS, draining.signal);
      } catch (error) {
        if (draining.signal.aborted) return;
        failures++;
        const waitMs = Math.round(backoffMs(POLL_BACKOFF, failures, random.float()));
        log.warn('polling failed', { error, failures, waitMs });
        await clock.sleep(waitMs, draining.signal);
      }
    }
  }

  /** False if the message was refused and returns to the queue. */
  function accept(received: Received, receiver: Receiver, admitted: ReadonlySet<Message>): boolean {
    const { message } = received;
    const isAccepted = !message || admitted.has(message) || admit(message);
    const ending = (isAccepted ? handle(received, receiver) : refuse(received)).catch((error: unknown) => {
      log.error('failed to dead-letter or return a message; SQS will redeliver it', {
        error,
        ...fieldsOf(received),
      });
    });
    handling.add(ending);
    void ending.then(() => {
      handling.delete(ending);
      announceRoom();
    });
    return isAccepted;
  }

  /** Returns a message whose owner has its share. */
  async function refuse(received: Received): Promise<void> {
    if (received.message) refused.add(groupOf(received.message));
    await returnToQueue(context, received, draining.signal.aborted ? 0 : refusedMs(random, received));
  }

  async function handle(received: Received, receiver: Receiver): Promise<void> {
    const { message } = received;
    if (message === undefined) {
      log.error('dead-lettered a message that is not from this scheduler', fieldsOf(received));
      return received.deadLetter('the body is not a message of this scheduler');
    }
    const { port, close } = openPort(shared, message, received, receiver);
    try {
      await run(counting, port, received);
    } catch (error) {
      // `handleMessage` returns the message to the queue; if that failed too, its visibility timeout ends
      log.error('failed to handle a message; the queue will redeliver it', { error, ...fieldsOf(received) });
    } finally {
      close();
    }
  }

  function announceRoom(): void {
    roomChanged.resolve();
    roomChanged = Promise.withResolvers();
    for (const receiver of receivers) receiver.recheck?.();
  }

  async function beat(): Promise<void> {
    while (!gone.signal.aborted) {
      await store
        .putWorker(workerRow())
        .catch((error: unknown) => log.warn('failed to write the worker row', { error }));
      await limits?.refresh();
      await clock.sleep(BEAT_MS, gone.signal);
      const refusals = refused.take();
      if (refusals) log.warn('refused messages of owners that have their share', { workerId, ...refusals });
    }
  }

  const workerRow = (): WorkerRow => {
    const recent = ended.recent(clock.now());
    return {
      ...{ workerId, startedAt, beatAt: clock.now(), host: options.host, running: listRunning() },
      ...{ concurrency, version: VERSION },
      ...(draining.signal.aborted && { draining: true }),
      ...(recent.length > 0 && { ended: recent }),
    };
  };

  const listRunning = () => [...runningNow.values()];

  async function drain(deadlineMs: number): Promise<Drained> {
    const runningAtStart = runningNow.size;
    log.info('worker draining', { workerId, running: runningAtStart, inHand: handling.size, deadlineMs });
    draining.abort(new Error('the worker is shutting down'));
    places.close();
    announceRoom();
    await endsWithin(deadlineMs);
    const toldToStop = runningNow.size;
    aborting.abort(new Error('the worker is shutting down'));
    if (handling.size > 0) await endsWithin(STOP_GRACE_MS);
    const leftBehind = runningNow.size;

    gone.abort();
    await beating; // a heartbeat after the removal would write the row again
    await store
      .removeWorker(workerId)
      .catch((error: unknown) => log.warn('failed to remove the worker row', { error }));
    const drained = { running: runningAtStart, toldToStop, leftBehind };
    log.info('worker stopped', { workerId, ...drained });
    return drained;
  }

  /** Waits until the polls have ended and no message is in hand, at most for `ms`. */
  async function endsWithin(ms: number): Promise<void> {
    const empty = polling.then(() => Promise.all(handling));
    await withDeadline(empty, { timer: clock, ms }, () => undefined);
  }

  log.info('worker started', { workerId, concurrency, tasks: [...tasks.keys()] });
  const beating = beat();
  const polling = Promise.all(pollers.map(poll));
  let drained: Promise<Drained> | undefined;
  return {
    workerId,
    running: listRunning,
    stop({ deadlineMs }) {
      drained ??= drain(deadlineMs);
      return drained;
    },
  };
}

/** The fields by which log lines name a message. */
const fieldsOf = ({ message, body }: Received): Record<string, unknown> =>
  message ? { executionId: executionId(message.jobId, message.due) } : { body: body.slice(0, 200) };
