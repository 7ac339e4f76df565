// The messages of one worker that wait for a slot of a concurrency key. They are hidden in the queue and come back by themselves.
// If an execution with the same key ends in this worker, the worker handles one of them again at once. They occupy no run slot.
import type { KeyLimit, KeyName, KeySlot } from '../../domain/jobs/concurrency-key.ts';
import type { Message, Received } from '../../queue/queue.ts';
import type { Context } from '../context.ts';

/** After a search has found no free slot, nothing searches the same slots for this long. It saves reads. */
const FULL_FOR_MS = 500;
/** Each message that waits for a key in this worker adds this much to the delay of the next one: at most 5 questions a second. */
const MS_PER_WAITING = 200;
/** A message that is hidden for less than this is not woken. Another worker may have it before it is hidden again. */
const WAKE_MARGIN_MS = 250;
/** The largest number of remembered messages, and of keys. The oldest are forgotten, and come back by themselves. */
const MAX_REMEMBERED = 10_000;

interface Waiting {
  readonly limit: KeyLimit;
  readonly name: string;
  readonly received: Received;
  /** By the monotonic clock. Later, another worker may have the message. */
  readonly hiddenUntil: number;
  handleAgain(): void;
}

/** The state of a message that this worker has received before. */
export interface WaitedBefore {
  /** The number of ends so far, for `returned`. */
  readonly since: number;
  /** The key that the message has waited for in this worker. Undefined if it has not. */
  readonly key?: KeyName;
  /** Whether an end has woken it. It looks for a slot, also if its slots were taken a moment ago. */
  readonly isWoken: boolean;
}

const nameOf = ({ owner, key }: KeyName): string => `${owner}#${key}`;
const idOf = ({ jobId, due }: Message): string => `${jobId}.${due}`;

export class KeyWaiters {
  readonly #context: Pick<Context, 'clock' | 'log' | 'settings'>;
  /** By execution, in the order in which they began to wait. */
  readonly #waiting = new Map<string, Waiting>();
  /** The waiting executions of each key. */
  readonly #ofKey = new Map<string, Set<string>>();
  /** The messages that were woken and not yet handled, with their keys. */
  readonly #woken = new Map<string, KeyName>();
  /** By key, the number of the last end. */
  readonly #lastEnds = new Map<string, number>();
  /** By key, the last end that woke no message, because none was hidden that may use its slot. Each end wakes one message at most. */
  readonly #unusedEnds = new Map<string, { readonly count: number; readonly n: number }>();
  /** By key, the executions that this worker claims or runs, with the number of slots that each may use. */
  readonly #active = new Map<string, Map<string, number>>();
  /** By key, the slots that the last search has found taken, and until when they count as taken. */
  readonly #full = new Map<string, { readonly concurrent: number; readonly until: number }>();
  #count = 0;

  constructor(context: Pick<Context, 'clock' | 'log' | 'settings'>) {
    this.#context = context;
  }

  /** The number of ends so far, of all keys. */
  get ends(): number {
    return this.#count;
  }

  /** The message was received, or is handled again. */
  received(message: Message): WaitedBefore {
    const id = idOf(message);
    const woken = this.#woken.get(id);
    this.#woken.delete(id);
    const key = this.#forget(id)?.limit ?? woken;
    return { since: this.#count, isWoken: woken !== undefined, ...(key && { key }) };
  }

  /**
   * Begins the claim of a message. False if a claim would find no slot, in one of two cases. The slots that its job may use were taken
   * a moment ago, and none has become free in this worker since. Or this worker claims and runs as many executions of the key as there
   * are slots. Without this, hundreds of messages would claim at once for each slot, and undo their claims. A message that was woken
   * claims also if the slots were taken a moment ago.
   */
  enter(limit: KeyLimit, message: Message, isWoken: boolean): boolean {
    const { concurrent } = limit;
    const name = nameOf(limit);
    const id = idOf(message);
    const active = this.#active.get(name) ?? new Map<string, number>();
    if (active.has(id)) return true;
    if ((!isWoken && this.#wasFull(name, concurrent)) || this.#isBusy(name, concurrent)) return false;
    this.#active.set(name, active.set(id, concurrent));
    return true;
  }

  /** The message has ended, or waits. A repeated call has no effect. */
  leave(key: KeyName, message: Message): void {
    const name = nameOf(key);
    const active = this.#active.get(name);
    active?.delete(idOf(message));
    if (active?.size === 0) this.#active.delete(name);
  }

  /** A job with a larger limit may use slots that the last search did not look at. */
  #wasFull(name: string, concurrent: number): boolean {
    const full = this.#full.get(name);
    return (
      full !== undefined && concurrent <= full.concurrent && this.#context.clock.monotonic() < full.until
    );
  }

  /** Whether this worker has as many executions of the key as the largest limit among their jobs allows. */
  #isBusy(name: string, concurrent: number): boolean {
    const active = this.#active.get(name);
    return active !== undefined && active.size >= Math.max(concurrent, ...active.values());
  }

  /** The shortest time after which one more message of the key should ask again. It bounds the questions of one worker. */
  spacingMs(key: KeyName): number {
    return (this.#ofKey.get(nameOf(key))?.size ?? 0) * MS_PER_WAITING;
  }

  /** A search found none of the slots free. `since` is the number of ends before it. An end during the search is newer. */
  markFull(limit: KeyLimit, since: number): void {
    const name = nameOf(limit);
    const { concurrent } = limit;
    if ((this.#lastEnds.get(name) ?? 0) > since || this.#wasFull(name, concurrent)) return;
    remember(this.#full, name, { concurrent, until: this.#context.clock.monotonic() + FULL_FOR_MS });
  }

  /**
   * The message is hidden for `ms` and waits for the key. If an execution of the key has ended since, one is woken. `handleAgain`
   * handles the message without another receive.
   */
  async returned(
    limit: KeyLimit,
    received: Received,
    ms: number,
    since: number,
    handleAgain: () => void,
  ): Promise<void> {
    if (!received.message) return;
    const name = nameOf(limit);
    const id = idOf(received.message);
    this.#forget(id);
    const oldest = this.#waiting.size >= MAX_REMEMBERED ? this.#waiting.keys().next().value : undefined;
    if (oldest !== undefined) this.#forget(oldest);
    const hiddenUntil = this.#context.clock.monotonic() + ms;
    this.#waiting.set(id, { limit, name, received, hiddenUntil, handleAgain });
    this.#ofKey.set(name, (this.#ofKey.get(name) ?? new Set()).add(id));
    const unused = this.#unusedEnds.get(name);
    if (!unused || unused.count <= since) return;
    this.#unusedEnds.delete(name);
    if (!(await this.#wake(name, unused.n))) remember(this.#unusedEnds, name, unused);
  }

  /** The execution of the message has ended here, so its slot may be free. */
  async ended(slot: KeySlot, message: Message): Promise<void> {
    this.leave(slot, message);
    const name = nameOf(slot);
    const count = ++this.#count;
    remember(this.#lastEnds, name, count);
    this.#full.delete(name);
    if (!(await this.#wake(name, slot.n))) remember(this.#unusedEnds, name, { count, n: slot.n });
  }

  /** A message of the key, which may have been woken for a free slot, does not use it. The next one is woken. */
  async passOn(key: KeyName): Promise<void> {
    await this.#wake(nameOf(key), 0);
  }

  /**
   * Handles one message again that waits for the key and may use slot `n`. False if none is hidden. A message that were made visible
   * instead might go to another worker, which knows nothing of the end.
   */
  async #wake(name: string, n: number): Promise<boolean> {
    const { clock, log, settings } = this.#context;
    for (const id of this.#ofKey.get(name) ?? []) {
      if ((this.#waiting.get(id)?.limit.concurrent ?? 0) <= n) continue;
      const waiting = this.#forget(id);
      if (!waiting || waiting.hiddenUntil - clock.monotonic() < WAKE_MARGIN_MS) continue;
      try {
        await waiting.received.setVisibility(settings.leaseMs);
      } catch (error) {
        log.debug('failed to wake a waiting message', { error: String(error) });
        continue;
      }
      remember(this.#woken, id, waiting.limit);
      waiting.handleAgain();
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

function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  const oldest = map.size > MAX_REMEMBERED ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
