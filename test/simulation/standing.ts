// The liveness bound: after the faults, an execution that could run does not stand still. The bound is far below the settle
// lag of the seeds that it applies to, so settle cannot be what keeps it.

import { type DueKey, dueAtOf } from '../../src/domain/executions/ids.ts';
import { isTerminal, type Row } from '../../src/domain/executions/row.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { fireAt } from '../../src/domain/schedule/occurrences.ts';
import { isLeaseOver } from '../../src/scheduling/claiming/decide-claim.ts';
import { ROW_FOLLOWS_MS } from '../../src/scheduling/claiming/line.ts';
import { rowKey } from '../../src/store/memory/memory-store.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/**
 * The longest time that an execution may stand still in all, after the faults and their last effects. A message that a
 * killed worker had in hand is visible again after 30 s at most.
 */
const STANDS_AT_MOST_MS = 36_000;
/** The bound after a restart of an embedded server, where no message is hidden and no lease is waited for. */
const AFTER_RESTART_MS = 12_000;
const LOOK_EVERY_MS = 3_000;

export class Standing {
  readonly #world: SimulatedWorld;
  /** How long each execution has stood still so far, in milliseconds. */
  readonly #stood = new Map<string, number>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Applies the bound until the simulation ends. `restarted` is true if all processes were killed and started again. */
  begin(restarted: boolean): void {
    const world = this.#world;
    // a clock that is behind delays what was asked for before
    const behind = -(world.power?.clockAhead ?? 0);
    const most = (restarted && world.boot !== undefined ? AFTER_RESTART_MS : STANDS_AT_MOST_MS) + behind;
    world.trace?.(undefined, '*** nothing may stand still from here on');
    const look = () => {
      for (const { jobId, due, status } of this.#standing()) {
        const key = rowKey({ jobId, due });
        const stood = (this.#stood.get(key) ?? 0) + LOOK_EVERY_MS;
        this.#stood.set(key, stood);
        // a message that waits for a slot may be one of another worker than the one that frees it
        const isKeyed = world.store.heads.get(jobId)?.limit !== undefined;
        if (stood > (isKeyed ? STANDS_AT_MOST_MS + behind : most))
          world.fail(
            'nothing stands still',
            `${world.checks.nameOf(jobId, due)} (${status}) for ${stood} ms`,
          );
      }
      world.at(world.now + LOOK_EVERY_MS, look);
    };
    world.at(world.now + LOOK_EVERY_MS, look);
  }

  /** The executions that could run or end now, and that no worker has in hand. */
  *#standing(): Generator<{ jobId: string; due: DueKey; status: string }> {
    const { store, checks, now } = this.#world;
    const rows = Map.groupBy(store.rows.all(), ({ jobId }) => jobId);
    for (const head of store.heads.all()) {
      const { jobId } = head;
      if (checks.keys.isLeftover(head)) continue;
      const open = (rows.get(jobId) ?? []).filter(({ status }) => !isTerminal(status));
      for (const row of open) {
        if (this.#isFree(head, row.due, row)) yield { jobId, due: row.due, status: row.status };
      }
      const due = new Set(
        checks.owed(head, now).filter((d) => fireAt(head.schedule, jobId, dueAtOf(d)) <= now),
      );
      for (const d of due) {
        if (!this.#rowOf(jobId, d) && this.#isFree(head, d, undefined))
          yield { jobId, due: d, status: 'no row' };
      }
    }
  }

  #rowOf(jobId: string, due: DueKey): Row | undefined {
    return this.#world.store.rows.get(rowKey({ jobId, due }));
  }

  /** Whether an older one may be about to stand in line: a worker has written its item, and died or stopped before its row. */
  #isInDoubt({ jobId }: Head, due: DueKey): boolean {
    const { store, now } = this.#world;
    const items = [...(store.waits.get(jobId) ?? [])];
    return items.some(([d, at]) => d < due && !this.#rowOf(jobId, d) && now - at < ROW_FOLLOWS_MS);
  }

  /** Whether an execution is due, is not running, and is not blocked by another. */
  #isFree(head: Head, due: DueKey, row: Row | undefined): boolean {
    const { now, settings, boot, checks } = this.#world;
    // a request of a dead worker has opened it late, after its schedule was withdrawn. Settle finds it
    const isInForce = head.status === 'active' && head.revision === row?.revision;
    if (row?.status === 'RUNNING' && !isInForce && !checks.claimOf(row)?.started) return false;
    if (row?.status === 'RUNNING')
      return isLeaseOver({ now, clockSkewMs: 2 * settings.clockSkewMs, boot }, row);
    if (checks.keys.isFull(head) || this.#isInDoubt(head, due)) return false;
    if (row?.status === 'RETRYING' && (row.nextAttemptAt ?? 0) + settings.clockSkewMs > now) return false;
    if (head.overlap === 'allow') return true;
    return !checks.isLocked(head, due) && !this.#isBehind(head, due);
  }

  /** Whether an older execution of the job goes first. */
  #isBehind({ jobId, overlap, misfire }: Head, due: DueKey): boolean {
    if (overlap !== 'queue' && misfire.policy !== 'runAll') return false;
    const isOlder = (row: Row) => row.jobId === jobId && row.due < due && row.queuedAt !== undefined;
    return this.#world.store.rows.all().some((row) => isOlder(row) && !isTerminal(row.status));
  }
}
