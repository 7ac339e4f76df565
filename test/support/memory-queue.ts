// The queue in memory, for the simulator: it holds what was sent; the simulator decides what is delivered, when and
// how often.
import type { Message, Queue } from '../../src/queue/queue.ts';
import { frozen } from '../../src/store/memory/frozen.ts';

export class MemoryQueue implements Queue {
  /** In the order of sending. */
  readonly messages: Message[] = [];
  sent = 0;

  async send(messages: readonly Message[]): Promise<void> {
    this.messages.push(...messages.map(frozen));
    this.sent += messages.length;
  }

  /** Takes out what is visible at `now`, oldest fireAt first. */
  takeVisible(now: number): Message[] {
    const visible = this.messages
      .filter((message) => message.fireAt <= now)
      .sort((a, b) => a.fireAt - b.fireAt);
    for (const message of visible) this.take(message);
    return visible;
  }

  /** Takes one out; putting it back with `send` makes a duplicate or a redelivery, forgetting it a loss. */
  take(message: Message): void {
    const index = this.messages.indexOf(message);
    if (index >= 0) this.messages.splice(index, 1);
  }

  /** When the next one becomes visible. */
  nextAt(): number | undefined {
    return this.messages.length === 0
      ? undefined
      : Math.min(...this.messages.map((message) => message.fireAt));
  }
}
