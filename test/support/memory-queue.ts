// A queue in memory that holds what was sent. The test decides what is delivered, when and how often.
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

  /** Removes and returns the messages that are visible at `now`, earliest fireAt first. */
  takeVisible(now: number): Message[] {
    const visible = this.messages
      .filter((message) => message.fireAt <= now)
      .sort((a, b) => a.fireAt - b.fireAt);
    for (const message of visible) this.take(message);
    return visible;
  }

  /** Removes a message. Sent again it is a redelivery, and otherwise it is lost. */
  take(message: Message): void {
    const index = this.messages.indexOf(message);
    if (index >= 0) this.messages.splice(index, 1);
  }

  /** When the next message becomes visible. Undefined if the queue is empty. */
  nextAt(): number | undefined {
    return this.messages.length === 0
      ? undefined
      : Math.min(...this.messages.map((message) => message.fireAt));
  }
}
