// A queue that adds the current trace header to messages without one.
import type { Queue } from './queue.ts';

/** `header` is called at each send. Undefined if there is no trace. */
export const inTrace = (queue: Queue, header: () => string | undefined): Queue => ({
  send(messages) {
    const trace = header();
    return queue.send(trace === undefined ? messages : messages.map((message) => ({ trace, ...message })));
  },
});
