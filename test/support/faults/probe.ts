// The task of the fault tests. It appends every start and end to a file, independently of the ledger. The file survives a
// kill -9.
import { appendFileSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Clock } from '../../../src/scheduling/context.ts';
import { DoNotRetry, defineTask, type Task } from '../../../src/tasks/task.ts';

export const probeParams = z.strictObject({
  /** By the accelerated clock. */
  durationMs: z.int().min(0).optional(),
  /** The number of steps that share the duration. A checkpoint is saved after each, and a retry resumes there. */
  steps: z.int().min(1).optional(),
  failTimes: z.int().min(0).optional(),
  fail: z.boolean().optional(),
});

export type ProbeParams = z.infer<typeof probeParams>;

interface Written {
  readonly event: 'start' | 'end';
  readonly jobId: string;
  readonly executionId: string;
  readonly due: number;
  readonly attempt: number;
  readonly fence: number;
  readonly pid: number;
  readonly workerId: string;
  readonly at: number;
  /** How the run ended, and the error if it did not succeed. */
  readonly how?: 'done' | 'failed' | 'aborted';
  readonly why?: string;
  /** The checkpoint that the run resumes from. */
  readonly from?: unknown;
}

/** One run of the task. It has no end if its process was killed. */
export interface Run extends Written {
  readonly end?: Written;
}

export function probeTask(file: string, workerId: string, clock: Clock): Task<ProbeParams> {
  return defineTask({
    name: 'probe',
    description: 'Writes down when it starts and ends.',
    params: probeParams,
    async run({ params, jobId, executionId, dueAt, attempt, fence, signal, lastCheckpoint, checkpoint }) {
      const { durationMs = 0, steps = 1, failTimes = 0, fail = false } = params;
      const write = (more: Pick<Written, 'event' | 'how' | 'why' | 'from'>) => {
        const common = { jobId, executionId, due: dueAt.getTime(), attempt, fence, workerId };
        const line: Written = { ...common, ...more, pid: process.pid, at: clock.now() };
        appendFileSync(file, `${JSON.stringify(line)}\n`);
      };
      write({ event: 'start', from: lastCheckpoint });
      try {
        const first = typeof lastCheckpoint === 'number' ? lastCheckpoint : 0;
        for (let step = first + 1; step <= steps; step++) {
          await clock.sleep(durationMs / steps, signal);
          signal.throwIfAborted();
          if (steps > 1) await checkpoint(step);
        }
        if (fail) throw new DoNotRetry('told to fail for good');
        if (attempt <= failTimes) throw new Error(`told to fail ${failTimes} times`);
        write({ event: 'end', how: 'done' });
        return { attempt };
      } catch (error) {
        write({ event: 'end', how: signal.aborted ? 'aborted' : 'failed', why: String(error) });
        throw error;
      }
    },
  });
}

export function readRuns(file: string): Run[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const written = lines.map((line) => JSON.parse(line) as Written);
  const keyOf = (w: Written) => `${w.executionId}#${w.fence}#${w.attempt}#${w.pid}`;
  const ends = new Map(written.filter((w) => w.event === 'end').map((w) => [keyOf(w), w]));
  return written.filter((w) => w.event === 'start').map((w) => ({ ...w, end: ends.get(keyOf(w)) }));
}
