// The messages of one worker that wait for a slot of a concurrency key. They are hidden in the queue and come back by themselves.
// If an execution with the same key ends in this worker, one of them is made visible at once. They occupy no run slot.
import type { KeyName } from '../../domain/jobs/concurrency-key.ts';
import type { Message, Received } from '../../queue/queue.ts';
import type { Clock, Log } from '../context.ts';

/** After a search has found no free slot, other messages of the key are not searched for this long. It saves reads. */
const FULL_FOR_MS = 500;
/** Each message that waits for a key in this worker adds this much to the delay of the next one: at most 5 questions a second. */
const MS_PER_WAITING = 200;
/** The largest number of remembered messages, and of keys. The oldest are forgotten, and come back by themselves. */
const MAX_REMEMBERED = 10_000;

interface Waiting {
  readonly key: KeyName;
  readonly name: string;
  readonly received: Received;
  /** By the monotonic clock. Later, another worker may have the message. */
  readonly hiddenUntil: number;
}

const nameOf = ({ owner, key }: KeyName): string => `${owner}#${key}`;
const idOf = ({ jobId, due }: Message): string => `${jobId}.${due}`;

export class KeyWaiters {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #log: Log;
  /** By execution, in the order in which they began to wait. */
  readonly #waiting = new Map<string, Waiting>();
  /** The waiting executions of each key. */
  readonly #ofKey = new Map<string, Set<string>>();
  /** By key, the number of the last end that woke no message, because none was hidden. Each end wakes one message at most. */
  readonly #unusedEnds = new Map<string, number>();
  /** By key, until when its slots count as taken. */
  readonly #fullUntil = new Map<string, number>();
  #count = 0;

  constructor({ clock, log }: { clock: Pick<Clock, 'monotonic'>; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The message was received. `key` is the key that it waited for in this worker. `since` is for `returned`. */
  received(message: Message): { readonly since: number; readonly key?: KeyName } {
    const waiting = this.#forget(idOf(message));
    return { since: this.#count, ...(waiting && { key: waiting.key }) };
  }

  /** Whether all slots of the key were taken a moment ago, and none has become free in this worker since. */
  isFull(key: KeyName): boolean {
    return this.#clock.monotonic() < (this.#fullUntil.get(nameOf(key)) ?? 0);
  }

  /** The shortest time after which one more message of the key should ask again. It bounds the questions of one worker. */
  spacingMs(key: KeyName): number {
    return (this.#ofKey.get(nameOf(key))?.size ?? 0) * MS_PER_WAITING;
  }

  /** The search for a slot of the key found none. */
  markFull(key: KeyName): void {
    remember(this.#fullUntil, nameOf(key), this.#clock.monotonic() + FULL_FOR_MS);
  }

  /** The message is hidden for `ms` and waits for the key. If an execution of the key has ended since, one is woken. */
  async returned(key: KeyName, received: Received, ms: number, since: number): Promise<void> {
    if (!received.message) return;
    const name = nameOf(key);
    const id = idOf(received.message);
    this.#forget(id);
    const oldest = this.#waiting.size >= MAX_REMEMBERED ? this.#waiting.keys().next().value : undefined;
    if (oldest !== undefined) this.#forget(oldest);
    this.#waiting.set(id, { key, name, received, hiddenUntil: this.#clock.monotonic() + ms });
    this.#ofKey.set(name, (this.#ofKey.get(name) ?? new Set()).add(id));
    if ((this.#unusedEnds.get(name) ?? 0) <= since) return;
    this.#unusedEnds.delete(name);
    await this.#wake(name);
  }

  /** An execution with the key has ended here, so a slot may be free. */
  async ended(key: KeyName): Promise<void> {
    const name = nameOf(key);
    this.#count++;
    this.#fullUntil.delete(name);
    if (!(await this.#wake(name))) remember(this.#unusedEnds, name, this.#count);
  }

  /** A message of the key, which may have been woken for a free slot, does not use it. The next one is woken. */
  async passOn(key: KeyName): Promise<void> {
    await this.#wake(nameOf(key));
  }

  /** False if no message of the key is hidden. */
  async #wake(name: string): Promise<boolean> {
    for (const id of this.#ofKey.get(name) ?? []) {
      const waiting = this.#forget(id);
      if (!waiting || waiting.hiddenUntil <= this.#clock.monotonic()) continue;
      await waiting.received
        .setVisibility(0)
        .catch((error) => this.#log.debug('failed to wake a waiting message', { error: String(error) }));
      return true;
    }
    return false;
  }

  #forget(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    this.#waiting.delete(id);
    const ids = this.#ofKey.get(waiting.name);
    ids?.delete(id);
    if (ids?.size === 0) this.#ofKey.delete(waiting.name);
    return waiting;
  }
}

function remember(map: Map<string, number>, name: string, value: number): void {
  map.delete(name);
  map.set(name, value);
  const oldest = map.size > MAX_REMEMBERED ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
