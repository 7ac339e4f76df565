// The port of one message to its worker: what the message occupies, and for which owner.
import { backoffMs } from '../concurrency/backoff.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import { ownerHash } from '../domain/digest.ts';
import { groupOf, type Message, type Received, type Receiver } from '../queue/queue.ts';
import type { Clock, Random } from '../scheduling/context.ts';
import type { KeyLines } from '../scheduling/running/key-lines.ts';
import type {
  TurnRank,
  WorkerIdentity,
  WorkerPort,
  WorkerShutdown,
} from '../scheduling/running/worker-port.ts';
import type { RunningExecution } from '../store/store.ts';
import type { MessagesInHand } from './messages-in-hand.ts';
import type { Places } from './places.ts';
import type { RefusedOwners } from './refused-owners.ts';
import type { RunningLimits } from './running-limits.ts';

/** The parts that all messages of a worker share. */
export interface SharedByMessages {
  readonly identity: WorkerIdentity;
  readonly shutdown: WorkerShutdown;
  readonly clock: Clock;
  readonly random: Random;
  readonly places: Places;
  readonly hand: MessagesInHand;
  readonly refused: RefusedOwners;
  readonly turns: LoopTurns<TurnRank>;
  /** Undefined if the number of running executions is not limited. */
  readonly limits: RunningLimits | undefined;
  readonly runningNow: Map<string, RunningExecution>;
  readonly keys: KeyLines;
  announceRoom(): void;
  /** Handles a message that was received before, and that no other worker has received since. */
  handleAgain(received: Received, receiver: Receiver): void;
}

/** A message that is refused because its owner has its share comes back after this time. It grows with each delivery. */
export const REFUSED_BACKOFF = { baseMs: 1_000, maxMs: 30_000 };

/** How long a refused message hides. */
export const refusedMs = (random: Random, { receiveCount = 1 }: Pick<Received, 'receiveCount'>): number =>
  Math.round(backoffMs(REFUSED_BACKOFF, receiveCount, random.float()));

/** Opens the port of a message that is in hand. `close` gives back everything that the message still occupies. */
export function openPort(
  shared: SharedByMessages,
  message: Message,
  received: Received,
  receiver: Receiver,
): { port: WorkerPort; close(): void } {
  const { identity, shutdown, clock, places, hand, turns, runningNow } = shared;
  let owner = groupOf(message);
  let isDue = false;
  let hasPlace = false;
  let startedMs: number | undefined;
  let returnAfterMs = 0;
  const release = () => {
    if (!hasPlace) return;
    hasPlace = false;
    places.release(owner, startedMs === undefined ? undefined : clock.monotonic() - startedMs);
    shared.announceRoom();
  };
  /** The message was refused a place. If places are free, its owner has its share. Else another worker may have it at once. */
  const refuse = () => {
    if (places.free === 0 || shutdown.draining.aborted) return;
    shared.refused.add(owner);
    // a receiver with `recheck` does not hand the message out again before its owner can expect a place
    returnAfterMs = receiver.recheck ? 0 : refusedMs(shared.random, received);
  };
  const port: WorkerPort = {
    identity,
    shutdown,
    keys: shared.keys,
    handleAgain: () => shared.handleAgain(received, receiver),
    places: {
      ownedBy(userId) {
        const name = message.owner ?? ownerHash(userId);
        shared.limits?.learn(name, userId);
        if (name === owner || hasPlace) return;
        hand.reassign(owner, name, isDue);
        owner = name;
      },
      markDue() {
        if (!isDue) hand.addDue(owner);
        isDue = true;
      },
      async acquire() {
        const limitRead = shared.limits?.firstRead(owner);
        if (limitRead) await limitRead;
        if (hasPlace) return true;
        hasPlace = await places.acquire(owner);
        if (!hasPlace) refuse();
        const turn = hasPlace ? turns.pass('start', owner) : undefined;
        if (turn) await turn;
        return hasPlace;
      },
      returnAfterMs: () => returnAfterMs,
      release,
      turn: (rank) => turns.pass(rank, owner),
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
    if (isDue) hand.removeDue(owner);
    hand.remove(owner);
    release();
  };
  return { port, close };
}
