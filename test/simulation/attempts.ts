// The check that attempts count starts. It keeps, for every execution, the holders that may have started it since it was
// last queued.
//
// A holder counts from the last write before its task may begin. For a first attempt without a row that is the claim, for
// others the write of the row as RUNNING. If a process dies after that write, nobody can tell whether its task had begun. A
// holder that wrote less, lost the hold before it wrote the row, undid its claim or was interrupted has not started.
import type { Row } from '../../src/domain/executions/row.ts';
import type { Hold } from '../../src/domain/jobs/job.ts';
import { rowKey } from '../../src/store/memory/memory-store.ts';

export class Attempts {
  /** Tokens of the holders that may have started, by `rowKey`. The value is true if the task was seen to begin. */
  readonly #holders = new Map<string, Map<string, boolean>>();

  /** A hold was claimed. `over` is true if it was taken over from another holder of the same execution. */
  taken(jobId: string, hold: Hold, row: Row | undefined, over: boolean): void {
    if (!row && !over && hold.attempt > 0) this.#of(rowKey({ jobId, due: hold.due })).set(hold.token, false);
  }

  /** A claim was undone, and its holder does not start. */
  givenBack(jobId: string, hold: Hold): void {
    this.#of(rowKey({ jobId, due: hold.due })).delete(hold.token);
  }

  started(jobId: string, hold: Hold): void {
    this.#of(rowKey({ jobId, due: hold.due })).set(hold.token, true);
  }

  /** What is wrong with the attempt number of a row that is about to be written. Undefined if it is right. */
  wrong(
    old: Row | undefined,
    row: Row,
    holder: string | undefined,
    interrupted: boolean,
  ): string | undefined {
    const { status, fence, attempt, maxAttempts } = row;
    const holders = this.#of(rowKey(row));
    if (status === 'QUEUED' && old) holders.clear();
    if (status === 'RUNNING' && fence === holder && fence && !holders.has(fence)) holders.set(fence, false);
    if (interrupted && fence) holders.delete(fence);
    const begun = [...holders.values()].filter(Boolean).length;
    // a worker that has lost its hold may still fence the row, which then names an attempt that does not begin
    const most = status === 'RUNNING' && fence !== holder ? holders.size + 1 : holders.size;
    if (attempt > maxAttempts) return `attempt ${attempt} of ${maxAttempts}`;
    if (attempt > most) return `${status} attempt ${attempt}, and ${holders.size} may have started`;
    if (attempt < begun) return `${status} attempt ${attempt}, and ${begun} have started`;
    return undefined;
  }

  #of(key: string): Map<string, boolean> {
    const known = this.#holders.get(key);
    if (known) return known;
    const holders = new Map<string, boolean>();
    this.#holders.set(key, holders);
    return holders;
  }
}
