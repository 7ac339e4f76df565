// Collects the lines of running tasks, and writes them to the store in rounds. A task that logs a million lines costs memory for
// the last of them only. The writes of a second are bounded, so that rows of executions are not delayed.

import type { Timer } from '../../concurrency/timer.ts';
import { withDeadline } from '../../concurrency/with-deadline.ts';
import { executionId } from '../../domain/executions/ids.ts';
import { dropOldest, type EncodedLine, encodeLine } from '../../domain/executions/log-line.ts';
import type { LogLineStore } from '../../store/log-lines.ts';
import type { ExecutionKey } from '../../store/store.ts';
import type { LineRecorder } from '../execution-logs.ts';

/** The time between two rounds. */
export const ROUND_MS = 250;
/** Bytes of one round: about 1 MB a second. Lines above it wait, and the oldest of an execution are dropped. */
export const MAX_ROUND_BYTES = 262_144;
/** Bytes that wait for a round. Above it, the oldest lines are dropped. */
export const MAX_WAITING_BYTES = 16_777_216;
/** How long a stop waits for the store. */
const CLOSE_MS = 5_000;

export interface LogBuffer extends LineRecorder {
  /** Resolves when the lines that this execution has written before the call are stored. */
  flush(key: ExecutionKey): Promise<void>;
  /** Stores all lines. Later lines are dropped. */
  close(): Promise<void>;
}

export interface LogBufferOptions {
  readonly store: LogLineStore;
  readonly timer: Timer;
  /** Called if lines could not be stored. They are lost. */
  onLost(executionId: string, lines: number, error: unknown): void;
}

interface Waiting {
  readonly key: ExecutionKey;
  readonly owner: string;
  readonly lines: EncodedLine[];
  bytes: number;
}

export function createLogBuffer({ store, timer, onLost }: LogBufferOptions): LogBuffer {
  const waiting = new Map<string, Waiting>();
  /** The last write of each execution that is in flight. */
  const writing = new Map<string, Promise<void>>();
  const closing = new AbortController();
  let waitingBytes = 0;
  let isRunning = false;

  function record(key: ExecutionKey, owner: string, line: Parameters<LineRecorder['record']>[2]): void {
    if (closing.signal.aborted) return;
    const id = executionId(key.jobId, key.due);
    const own = waiting.get(id) ?? { key, owner, lines: [], bytes: 0 };
    const encoded = encodeLine(line);
    own.lines.push(encoded);
    waitingBytes -= own.bytes;
    own.bytes = dropOldest(own.lines, own.bytes + encoded.bytes);
    waitingBytes += own.bytes;
    waiting.set(id, own);
    dropOverflow();
    if (!isRunning) void runRounds();
  }

  /** The execution that has waited longest loses its lines. */
  function dropOverflow(): void {
    for (const [id, { bytes }] of waiting) {
      if (waitingBytes <= MAX_WAITING_BYTES) return;
      waiting.delete(id);
      waitingBytes -= bytes;
    }
  }

  async function runRounds(): Promise<void> {
    isRunning = true;
    while (waiting.size > 0 && !closing.signal.aborted) {
      await timer.sleep(ROUND_MS, closing.signal);
      await writeRound(MAX_ROUND_BYTES);
    }
    isRunning = false;
  }

  /** At least one execution, further ones up to `maxBytes`. An execution of the next round is not delayed by this one's size. */
  async function writeRound(maxBytes: number): Promise<void> {
    const writes: Promise<void>[] = [];
    let bytes = 0;
    for (const [id, own] of waiting) {
      if (bytes > 0 && bytes + own.bytes > maxBytes) break;
      bytes += own.bytes;
      writes.push(write(id));
    }
    await Promise.all(writes);
  }

  /** Lines of one execution are written one write after the other, so their order stays. */
  function write(id: string): Promise<void> {
    const own = waiting.get(id);
    const before = writing.get(id) ?? Promise.resolve();
    if (!own) return before;
    waiting.delete(id);
    waitingBytes -= own.bytes;
    const written = before
      .then(() => store.appendLines(own.key, own.owner, own.lines))
      .catch((error: unknown) => onLost(id, own.lines.length, error))
      .finally(() => {
        if (writing.get(id) === written) writing.delete(id);
      });
    writing.set(id, written);
    return written;
  }

  return {
    record,
    flush: ({ jobId, due }) => write(executionId(jobId, due)),
    async close() {
      closing.abort();
      const all = Promise.all([...waiting.keys(), ...writing.keys()].map(write));
      await withDeadline(all, { timer, ms: CLOSE_MS }, () => undefined);
    },
  };
}
