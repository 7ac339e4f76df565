// The worker's runtime: takes messages from the receivers and starts the use case `handleMessage` for each, independently of
// all others, so that a slow job holds up nothing but itself; shows in its row what it runs; drains when stopped.
import { backoffMs } from '../concurrency/backoff.ts';
import { withDeadline } from '../concurrency/with-deadline.ts';
import { executionId } from '../domain/executions/ids.ts';
import type { Received, Receiver } from '../queue/queue.ts';
import { type Context, isClockRight } from '../scheduling/context.ts';
import { handleMessage } from '../scheduling/running/handle-message.ts';
import type { WorkerPort } from '../scheduling/running/worker-port.ts';
import type { RunningExecution } from '../store/store.ts';
import type { Tasks } from '../tasks/task.ts';
import { limitPerTick } from './limit-per-tick.ts';
import { MAX_RESERVED_PER_SLOT, RunSlots } from './run-slots.ts';

export interface WorkerOptions {
  readonly workerId: string;
  /** Of the machine or container; shown in the worker's row. */
  readonly host: string;
  readonly tasks: Tasks;
  readonly receivers: readonly Receiver[];
  /** Tasks that run at once; default 100. */
  readonly concurrency?: number;
  /** Messages in hand; default 50 × concurrency, and 10 × concurrency of them worked on. */
  readonly maxInHand?: number;
  /** Long polls side by side per receiver; default 2, so that one listens while the other's answer is on its way. */
  readonly pollersPerQueue?: number;
  /** Messages of one receive at most. Default 10, which is SQS's limit. */
  readonly mostPerReceive?: number;
  /** The pause after a receive that brought fewer messages than it asked for. Default 50 ms. */
  readonly afterFewMs?: number;
  readonly handleMessage?: HandleMessage;
}

export type HandleMessage = (context: Context, worker: WorkerPort, received: Received) => Promise<void>;

export interface Worker {
  readonly workerId: string;
  /** What it runs now, and since when. */
  running(): RunningExecution[];
  /**
   * Takes nothing more, hands back what has not begun, lets what runs end until the deadline, then tells it to stop.
   * Calling it again gives the same promise.
   */
  stop(options: { deadlineMs: number }): Promise<Drained>;
}

export interface Drained {
  /** Tasks that were running when the drain began. */
  readonly running: number;
  /** Of those, how many had to be told to stop at the deadline. */
  readonly toldToStop: number;
  /** Of those, how many did not even then; others take them over when their leases end. */
  readonly leftBehind: number;
}

export const DEFAULT_CONCURRENCY = 100;
/**
 * Messages that are worked on, from their fire time to the delete. At ten times the slots, a second's worth
 * of 100 ms jobs fits in hand. More would only keep work from other workers.
 */
const MAX_DUE_PER_SLOT = 10;
/**
 * With those that are held until then. A message comes up to a second or two before its time, because SQS delays in whole
 * seconds, and costs only a timer while it is held: thousands that are due at the same instant should be here by then.
 */
export const HELD_PER_SLOT = MAX_RESERVED_PER_SLOT;
const MAX_PER_RECEIVE = 10;
/** About 2 ms of CPU. The tasks of one turn start together at its end, so larger turns start most of them later. */
const STARTS_PER_TURN = 20;
/**
 * A poll that brought fewer than it asked for is followed by a pause in which more can come: a request is paid for, and
 * costs a millisecond of CPU, whatever it brings. Messages come a second before their time; one that is for now is taken
 * by the other poll, which listens meanwhile.
 */
export const AFTER_FEW_MS = 50;
export const BEAT_MS = 10_000;
/** What was told to stop at the deadline may still write that it did. */
export const STOP_GRACE_MS = 5000;
/** While the clock is wrong, nothing is received; it is looked at again after this long. */
export const WRONG_CLOCK_MS = 1_000;
const POLL_BACKOFF = { baseMs: 200, maxMs: 10_000 };

export function startWorker(context: Context, options: WorkerOptions): Worker {
  const { clock, log, random, store } = context;
  const { workerId, receivers, tasks } = options;
  const run = options.handleMessage ?? handleMessage;
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const maxDueInHand = options.maxInHand ?? concurrency * MAX_DUE_PER_SLOT;
  const maxInHand = options.maxInHand ?? concurrency * HELD_PER_SLOT;
  const { mostPerReceive = MAX_PER_RECEIVE, afterFewMs = AFTER_FEW_MS } = options;
  const pollers = receivers.flatMap((receiver) =>
    Array<Receiver>(options.pollersPerQueue ?? 2).fill(receiver),
  );

  const draining = new AbortController();
  const aborting = new AbortController();
  const gone = new AbortController();
  const slots = new RunSlots(concurrency, clock);
  const startsInTurn = limitPerTick(STARTS_PER_TURN);
  const inHand = new Set<Promise<void>>();
  const runningNow = new Map<string, RunningExecution>();
  const startedAt = clock.now();
  let roomChanged = Promise.withResolvers<void>();
  /** The number of messages in hand that are due. */
  let dueInHand = 0;

  /**
   * What the next poll may ask for. Whatever comes may be due at once, so no more than this poller's share of the free
   * slots. (An answer can still be more than is free by then: the slots keep the rest waiting, then it goes back.)
   */
  const room = () =>
    Math.min(
      ...[mostPerReceive, Math.ceil(slots.free / pollers.length)],
      ...[maxDueInHand - dueInHand, maxInHand - inHand.size],
    );

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
        // what came just as the drain began is taken all the same: it goes back at once instead of after its timeout
        const received = await receiver.receive(max, draining.signal);
        for (const one of received) keep(one);
        failures = 0;
        if (received.length < max) await clock.sleep(afterFewMs, draining.signal);
      } catch (error) {
        if (draining.signal.aborted) return;
        failures++;
        const waitMs = Math.round(backoffMs(POLL_BACKOFF, failures, random.float()));
        log.warn('polling failed', { error, failures, waitMs });
        await clock.sleep(waitMs, draining.signal);
      }
    }
  }

  function keep(received: Received): void {
    const handling = handle(received).catch((error: unknown) => {
      log.error('a message could not be buried; it comes back', { error, ...named(received) });
    });
    inHand.add(handling);
    void handling.then(() => {
      inHand.delete(handling);
      announceRoom();
    });
  }

  async function handle(received: Received): Promise<void> {
    const { message } = received;
    if (message === undefined) {
      log.error('buried a message that is not one of ours', named(received));
      return received.deadLetter('the body is not a message of this scheduler');
    }
    const { port, close } = openPort();
    try {
      await run(context, port, received);
    } catch (error) {
      // `handleMessage` returns the message to the queue; if that failed too, its visibility timeout ends
      log.error('failed to handle a message; the queue will redeliver it', { error, ...named(received) });
    } finally {
      close();
    }
  }

  /** The port of one message. `close` gives back everything that the message still occupies. */
  function openPort(): { port: WorkerPort; close(): void } {
    let isDue = false;
    let isReserved = false;
    let hasSlot = false;
    let startedMs: number | undefined;
    const unreserve = () => {
      if (isReserved) slots.unreserve();
      isReserved = false;
    };
    const release = () => {
      if (!hasSlot) return;
      hasSlot = false;
      slots.release(startedMs === undefined ? undefined : clock.monotonic() - startedMs);
      announceRoom();
    };
    const port: WorkerPort = {
      identity: { workerId, tasks },
      shutdown: { draining: draining.signal, aborting: aborting.signal },
      slots: {
        messagesInHand: () => inHand.size,
        markDue() {
          if (!isDue) dueInHand++;
          isDue = true;
        },
        reserve() {
          isReserved ||= slots.reserve();
          return isReserved;
        },
        async acquire() {
          unreserve();
          hasSlot ||= await slots.acquire();
          const turn = hasSlot ? startsInTurn.pass() : undefined;
          if (turn) await turn;
          return hasSlot;
        },
        release,
        otherStarts: startsInTurn.idle,
        running: {
          add(execution) {
            runningNow.set(execution.id, execution);
            startedMs = clock.monotonic();
          },
          remove: (id) => void runningNow.delete(id),
        },
      },
    };
    const close = () => {
      if (isDue) dueInHand--;
      unreserve();
      release();
    };
    return { port, close };
  }

  function announceRoom(): void {
    roomChanged.resolve();
    roomChanged = Promise.withResolvers();
  }

  async function beat(): Promise<void> {
    while (!gone.signal.aborted) {
      const row = { workerId, startedAt, beatAt: clock.now(), host: options.host, running: listRunning() };
      await store
        .putWorker(row)
        .catch((error: unknown) => log.warn('the worker row was not written', { error }));
      await clock.sleep(BEAT_MS, gone.signal);
    }
  }

  const listRunning = () => [...runningNow.values()];

  async function drain(deadlineMs: number): Promise<Drained> {
    const began = runningNow.size;
    log.info('worker draining', { workerId, running: began, inHand: inHand.size, deadlineMs });
    draining.abort(new Error('the worker is shutting down'));
    slots.close();
    announceRoom();
    await endsWithin(deadlineMs);
    const toldToStop = runningNow.size;
    aborting.abort(new Error('the worker is shutting down'));
    if (inHand.size > 0) await endsWithin(STOP_GRACE_MS);
    const leftBehind = runningNow.size;

    gone.abort();
    await beating; // a beat that came after the removal would bring the row back
    await store
      .removeWorker(workerId)
      .catch((error: unknown) => log.warn('the worker row was not removed', { error }));
    const drained = { running: began, toldToStop, leftBehind };
    log.info('worker stopped', { workerId, ...drained });
    return drained;
  }

  /** Until the polls have ended and nothing is in hand, or the time is over. */
  async function endsWithin(ms: number): Promise<void> {
    const empty = polling.then(() => Promise.all(inHand));
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

/** How log lines name a message. */
const named = ({ message, body }: Received): Record<string, unknown> =>
  message ? { executionId: executionId(message.jobId, message.due) } : { body: body.slice(0, 200) };
