// Sends traces to X-Ray, by its own API: a daemon beside the worker would be a second container to pull, from a registry
// that a closed network does not reach. Traces may be lost; nothing ever waits for one, or fails because of one.

import { newSegmentId, type Trace } from '../runtime/tracing.ts';
import type { Clock, Log, Random } from '../scheduling/context.ts';

interface Times {
  readonly from: number;
  readonly to: number;
}

/** One handling of one execution. */
export interface Segment extends Times {
  readonly id: string;
  readonly trace: Trace;
  /** What X-Ray finds it by. */
  readonly annotations: Readonly<Record<string, string | number>>;
  readonly parts: readonly (Times & { readonly name: string })[];
  readonly failed: boolean;
}

export interface Tracer {
  /** Whether an execution that belongs to no trace begins one. */
  begins(): boolean;
  put(segment: Segment): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

export interface TracerOptions {
  /** What the worker is called in its traces. */
  readonly name: string;
  /** The part of the executions that begin a trace; of those that came with one, all go on with it. */
  readonly sampling: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Returns how many were refused. */
  send(documents: string[]): Promise<number>;
}

/** X-Ray takes no more at once. */
const BATCH = 50;
const FLUSH_MS = 1_000;
/** Waiting to be sent; what is more is left out. */
const MAX_WAITING = 500;
/** Whatever the sampling: at $5 per million, 10 a second for a month are $130. */
const MAX_BEGUN_PER_SECOND = 10;

export function createTracer({ name, sampling, clock, random, log, send }: TracerOptions): Tracer {
  let waiting: string[] = [];
  let second = 0;
  let begun = 0;
  let flushing: Promise<void> | undefined;
  const stopped = new AbortController();

  async function flush(): Promise<void> {
    await clock.sleep(FLUSH_MS, stopped.signal);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      try {
        const refused = await send(batch);
        if (refused > 0) log.warn('X-Ray refused traces', { refused });
      } catch (error) {
        log.warn('traces are lost', { lost: batch.length, error: String(error) });
        // nobody waits for them: the worker is about to leave
        if (stopped.signal.aborted) waiting = [];
      }
    }
    flushing = undefined;
  }

  return {
    begins() {
      const now = Math.floor(clock.now() / 1000);
      if (now !== second) [second, begun] = [now, 0];
      if (begun >= MAX_BEGUN_PER_SECOND || random.float() >= sampling) return false;
      begun++;
      return true;
    },
    put(segment) {
      if (waiting.length < MAX_WAITING) waiting.push(documentOf(name, segment));
      flushing ??= flush();
    },
    async stop() {
      stopped.abort();
      await flushing;
    },
  };
}

/** X-Ray counts in seconds. */
const times = ({ from, to }: Times) => ({ start_time: from / 1000, end_time: to / 1000 });

function documentOf(name: string, { id, trace, annotations, parts, failed, ...span }: Segment): string {
  return JSON.stringify({
    name,
    id,
    trace_id: trace.root,
    parent_id: trace.parent,
    origin: 'AWS::ECS::Fargate',
    ...times(span),
    fault: failed,
    annotations,
    subsegments: parts.map((part) => ({ id: newSegmentId(), name: part.name, ...times(part) })),
  });
}
