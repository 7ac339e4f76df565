// A queue whose messages belong to the trace that they are sent in, unless they bring one along.
import type { Queue } from './queue.ts';

/** `header` is asked for with every sending; undefined: nobody traces. */
export const inTrace = (queue: Queue, header: () => string | undefined): Queue => ({
  send(messages) {
    const trace = header();
    return queue.send(trace === undefined ? messages : messages.map((message) => ({ trace, ...message })));
  },
});
