// The messages of one worker that wait for a seat of a concurrency key: a line per key. They are hidden in the queue, occupy no
// place, and come back by themselves. If an execution of the key ends in this worker, the first one is handled again at once.
import type { KeyLimit, KeyName } from '../../domain/jobs/concurrency-key.ts';
import type { Message, Received } from '../../queue/queue.ts';
import type { Context } from '../context.ts';

/** After a search has found no free seat, nothing searches for this long. It saves reads. */
const FULL_FOR_MS = 500;
/** Each message that waits for a key in this worker adds this much to the delay of the next one: at most 5 searches a second. */
const MS_PER_WAITING = 200;
/** The longest delay between two searches of a message that waits, however many wait. */
const MAX_SPACING_MS = 30_000;
/** A message that is hidden for less than this is not woken. Another worker may have it before it is hidden again. */
const WAKE_MARGIN_MS = 250;
/** The largest number of messages in a line. Others come back by themselves. */
const MAX_IN_LINE = 1_000;

interface Waiting {
  readonly concurrent: number;
  readonly received: Received;
  /** By the monotonic clock. Later, another worker may have the message. */
  readonly hiddenUntil: number;
  handleAgain(): void;
}

interface Line {
  /** By execution, in the order in which they began to wait. */
  readonly waiting: Map<string, Waiting>;
  /** The executions of the key that this worker claims or runs. */
  readonly active: Set<string>;
  /** By the monotonic clock. Until then, the seats count as taken. */
  fullUntil: number;
}

const idOf = ({ jobId, due }: Message): string => `${jobId}.${due}`;

export class KeyLines {
  readonly #context: Pick<Context, 'clock' | 'log' | 'settings' | 'random'>;
  readonly #lines = new Map<string, Line>();

  constructor(context: Pick<Context, 'clock' | 'log' | 'settings' | 'random'>) {
    this.#context = context;
  }

  /**
   * Begins the claim of a message. False if it would find no seat: this worker has as many executions of the key as there are
   * seats, or the last search found none a moment ago. Without this, hundreds of messages would search at once for each seat.
   */
  enter(limit: KeyLimit, message: Message): boolean {
    const line = this.#lineOf(limit);
    const id = idOf(message);
    line.waiting.delete(id);
    if (line.active.has(id)) return true;
    const isFull = this.#context.clock.monotonic() < line.fullUntil;
    if (isFull || line.active.size >= limit.concurrent) return false;
    line.active.add(id);
    return true;
  }

  /** The message has found no free seat. */
  full(limit: KeyLimit): void {
    this.#lineOf(limit).fullUntil = this.#context.clock.monotonic() + FULL_FOR_MS;
  }

  /** The message has ended, or returns to the queue. `freed`: its execution has had a seat, which the next one may take. */
  async leave(key: KeyName, message: Message, freed: boolean): Promise<void> {
    const line = this.#lineOf(key);
    line.active.delete(idOf(message));
    if (freed) {
      line.fullUntil = 0;
      await this.#wakeFirst(line);
    }
    if (line.waiting.size + line.active.size === 0) this.#lines.delete(nameOf(key));
  }

  /** The message is hidden until `at`, and waits for the key. Returns when it should search again. */
  wait(limit: KeyLimit, received: Received, at: number, handleAgain: () => void): number {
    const { clock, random } = this.#context;
    if (!received.message) return at;
    const line = this.#lineOf(limit);
    const spacingMs = Math.min(MAX_SPACING_MS, line.waiting.size * MS_PER_WAITING);
    const later = Math.max(at, Math.round(clock.now() + spacingMs * (0.75 + 0.5 * random.float())));
    const hiddenUntil = clock.monotonic() + later - clock.now();
    if (line.waiting.size < MAX_IN_LINE)
      line.waiting.set(idOf(received.message), {
        concurrent: limit.concurrent,
        received,
        hiddenUntil,
        handleAgain,
      });
    return later;
  }

  /** Handles the first message again that is hidden long enough. If it were made visible, another worker might get it. */
  async #wakeFirst({ waiting }: Line): Promise<void> {
    const { clock, log, settings } = this.#context;
    for (const [id, { received, hiddenUntil, handleAgain }] of waiting) {
      waiting.delete(id);
      if (hiddenUntil - clock.monotonic() < WAKE_MARGIN_MS) continue;
      try {
        await received.setVisibility(settings.leaseMs);
      } catch (error) {
        log.debug('failed to wake a waiting message', { error: String(error) });
        continue;
      }
      return handleAgain();
    }
  }

  #lineOf(key: KeyName): Line {
    const known = this.#lines.get(nameOf(key));
    if (known) return known;
    const line: Line = { waiting: new Map(), active: new Set(), fullUntil: 0 };
    this.#lines.set(nameOf(key), line);
    return line;
  }
}

const nameOf = ({ owner, key }: KeyName): string => `${owner}#${key}`;
