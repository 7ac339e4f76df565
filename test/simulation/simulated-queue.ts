// The simulated queue: visibility timeouts and receipts as in SQS, and messages that are lost, doubled, late and out of
// order as the seed decides.
import { MAX_DELAY_MS, type Message, type Received } from '../../src/queue/queue.ts';
import { frozen } from '../../src/store/memory/frozen.ts';
import type { Process } from './process.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** Low, so that copies replace messages that are returned often. The simulated queue has no dead letters. */
const MAX_RECEIVES = 6;

interface Parked {
  readonly message: Message;
  visibleAt: number;
  /** The receipt of the last delivery. Earlier receipts cannot hide the message any more. */
  receipt: number;
  gone: boolean;
}

export class SimulatedQueue {
  /** Receives a visible message. False if no worker can receive it now. */
  receiver: ((message: Message, receive: (process: Process) => Received) => boolean) | undefined;
  buried = 0;
  readonly #world: SimulatedWorld;
  #parked = new Set<Parked>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  accept(messages: readonly Message[]): void {
    const { random, profile, now } = this.#world;
    for (const message of messages) {
      if (random.chance(profile.messageLost)) {
        this.#world.trace?.(
          undefined,
          `the queue loses ${this.#world.checks.nameOf(message.jobId, message.due)}`,
        );
        continue;
      }
      const copies = random.chance(profile.messageDoubled) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const early = random.int(0, 1000);
        const late = random.chance(profile.messageLate)
          ? random.int(0, random.chance(0.2) ? 90_000 : 8000)
          : 0;
        const delay = Math.min(Math.max(0, message.fireAt - early - now), MAX_DELAY_MS);
        const parked = { message: frozen(message), visibleAt: now + delay + late, receipt: 0, gone: false };
        this.#parked.add(parked);
        this.#offerLater(parked);
      }
    }
  }

  /** Loses all messages. */
  wipe(): void {
    for (const parked of this.#parked) parked.gone = true;
    this.#parked = new Set();
  }

  #offerLater(parked: Parked): void {
    this.#world.at(parked.visibleAt, () => this.#offer(parked));
  }

  #offer(parked: Parked): void {
    const { now, random } = this.#world;
    if (parked.gone || parked.visibleAt > now) return; // the change of visibleAt has scheduled another event
    const taken = this.receiver?.(parked.message, (process) => {
      parked.visibleAt = now + random.int(this.#world.settings.leaseMs, 30_000);
      parked.receipt++;
      this.#offerLater(parked);
      return this.#received(parked, parked.receipt, process);
    });
    if (!taken) {
      parked.visibleAt = now + (this.#world.down ? 3000 : 700);
      this.#offerLater(parked);
    }
  }

  #received(parked: Parked, receipt: number, process: Process): Received {
    const world = this.#world;
    const call = (what: string, args: unknown[], effect: () => void) =>
      world.call(process, what, [parked.message, ...args], false, async (share) => {
        if (share === 1) effect();
      });
    return {
      message: parked.message,
      body: '',
      receivedAt: process.now(),
      receiveCount: receipt,
      maxReceives: MAX_RECEIVES,
      delete: () => {
        // SQS deletes nothing with an outdated receipt, so a delete that took too long does no harm. A delete that is sent
        // with an outdated receipt may still take effect here, because a worker must not rely on SQS for this.
        const wasOurs = parked.receipt === receipt;
        return call('delete', [], () => {
          if (parked.receipt !== receipt && (world.random.chance(0.5) || wasOurs)) return;
          parked.gone = true;
          this.#parked.delete(parked);
        });
      },
      setVisibility: (ms) =>
        call('hide', [ms], () => {
          if (parked.receipt !== receipt || parked.gone) return;
          world.checks.hidden(parked.message, ms);
          parked.visibleAt = world.now + Math.max(0, ms);
          this.#offerLater(parked);
        }),
      deadLetter: (reason) =>
        call('bury', [reason], () => {
          world.fail('no message of ours is buried', reason);
        }),
    };
  }
}
