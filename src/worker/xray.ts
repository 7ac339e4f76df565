// Sends traces to X-Ray by its API. A daemon would be a second container, from a registry that a closed network cannot reach.
// Traces may be lost. No execution waits for a trace or fails because of one.

import { newSegmentId, type Trace } from '../runtime/tracing.ts';
import type { Clock, Log, Random } from '../scheduling/context.ts';

interface Times {
  readonly from: number;
  readonly to: number;
}

/** The handling of one message. */
export interface Segment extends Times {
  readonly id: string;
  readonly trace: Trace;
  /** The fields that X-Ray's search finds the segment by. */
  readonly annotations: Readonly<Record<string, string | number>>;
  readonly parts: readonly (Times & { readonly name: string })[];
  readonly failed: boolean;
}

export interface Tracer {
  /** Whether an execution that belongs to no trace begins one. */
  begins(): boolean;
  put(segment: Segment): void;
  /** Sends the remaining segments. */
  stop(): Promise<void>;
}

export interface TracerOptions {
  /** The name of the worker in its traces. */
  readonly name: string;
  /** The fraction of executions that begin a trace. Executions that belong to a trace always continue it. */
  readonly sampling: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Returns the number of refused documents. */
  send(documents: string[]): Promise<number>;
}

/** X-Ray's maximum number of segments per call. */
const MAX_BATCH = 50;
const FLUSH_MS = 1_000;
/** Segments that wait to be sent. Further ones are dropped. */
const MAX_WAITING = 500;
/** New traces per second at most, whatever the sampling. At $5 per million, 10 per second cost $130 a month. */
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
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      try {
        const refused = await send(batch);
        if (refused > 0) log.warn('X-Ray refused traces', { refused });
      } catch (error) {
        log.warn('failed to send traces', { lost: batch.length, error: String(error) });
        // the worker is about to exit, and does not wait for traces
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
