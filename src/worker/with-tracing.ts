// Traces of executions: how long the claim, the task and the finish of a message took. A message continues the trace that it
// belongs to, or begins one.

import { executionId } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Received } from '../queue/queue.ts';
import { headerOf, newSegmentId, newTrace, sampledTrace } from '../runtime/tracing.ts';
import type { Context } from '../scheduling/context.ts';
import type { WorkerPort } from '../scheduling/running/worker-port.ts';
import { observeRows } from '../store/observe-rows.ts';
import type { Tasks } from '../tasks/task.ts';
import type { HandleMessage } from './worker.ts';
import type { Segment, Tracer } from './xray.ts';

/** The times and results that were observed while a message was handled. */
interface Seen {
  /** When the message was due and a place was acquired. */
  acquiredAt?: number;
  task?: string;
  startedAt?: number;
  endedAt?: number;
  row?: Row;
}

export function withTracing(handleMessage: HandleMessage, tracer: Tracer): HandleMessage {
  return async (context, worker, received) => {
    const { message } = received;
    const { clock } = context;
    const trace = sampledTrace(message?.trace) ?? (tracer.begins() ? newTrace(clock.now()) : undefined);
    if (!message || !trace) return handleMessage(context, worker, received);

    const id = newSegmentId();
    const seen: Seen = {};
    // the next attempt continues this trace, with this segment as its parent
    const own: Received = { ...received, message: { ...message, trace: headerOf({ ...trace, parent: id }) } };
    try {
      await handleMessage(watchRows(context, seen), timeWorker(worker, clock, seen), own);
    } finally {
      // a message that only waited has no row, and is traced when it comes back
      if (seen.row && seen.acquiredAt !== undefined) {
        const { jobId, due, fireAt } = message;
        const annotations = {
          jobId,
          executionId: executionId(jobId, due),
          outcome: seen.row.status,
          attempt: seen.row.attempt,
          ...(seen.task !== undefined && { task: seen.task }),
          ...(seen.startedAt !== undefined && { latenessMs: seen.startedAt - fireAt }),
        };
        tracer.put({ id, trace, annotations, ...timesOf(seen, seen.acquiredAt, clock.now()) });
      }
    }
  };
}

/** The last row that is written shows the outcome. */
const watchRows = (context: Context, seen: Seen): Context => {
  const after = (row: Row): void => {
    seen.row = row;
  };
  return { ...context, store: observeRows(context.store, { after }) };
};

function timeWorker(worker: WorkerPort, clock: Context['clock'], seen: Seen): WorkerPort {
  const tasks: Tasks = new Map(
    [...worker.identity.tasks].map(([name, task]) => [
      name,
      {
        ...task,
        async run(own) {
          seen.task = name;
          seen.startedAt = clock.now();
          try {
            return await task.run(own);
          } finally {
            seen.endedAt = clock.now();
          }
        },
      },
    ]),
  );
  return {
    identity: { ...worker.identity, tasks },
    shutdown: worker.shutdown,
    keys: worker.keys,
    handleAgain: worker.handleAgain,
    places: {
      ...worker.places,
      async acquire() {
        const acquired = await worker.places.acquire();
        if (acquired) seen.acquiredAt = clock.now();
        return acquired;
      },
    },
  };
}

function timesOf(
  { startedAt, endedAt, row }: Seen,
  from: number,
  now: number,
): Pick<Segment, 'from' | 'to' | 'parts' | 'failed'> {
  const parts = [
    { name: 'claim', from, to: startedAt ?? now },
    ...(startedAt === undefined ? [] : [{ name: 'run', from: startedAt, to: endedAt ?? now }]),
    ...(endedAt === undefined ? [] : [{ name: 'finish', from: endedAt, to: now }]),
  ];
  return { from, to: now, parts, failed: row?.status === 'FAILED' || row?.status === 'RETRYING' };
}
