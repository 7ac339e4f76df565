// The promise of concurrency keys: of the runs whose limit is m or less, at most m run at once. With one limit for all jobs of a
// key that means at most `concurrent` runs. A run counts by the limit that was in force at its claim.
import { ownerHash } from '../../src/domain/digest.ts';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { ConcurrencyLimit, Seat } from '../../src/domain/jobs/concurrency-key.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { isLeaseOver } from '../../src/scheduling/claiming/decide-claim.ts';
import { type MemoryStore, rowKey } from '../../src/store/memory/memory-store.ts';
import { aHead } from '../support/fixtures.ts';
import type { Run } from './checks.ts';
import type { Process } from './process.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** How long ago the runs of the leftovers ended. Retention has removed their rows. */
const LONG_AGO_MS = 100 * 86_400_000;

export class KeyChecks {
  /** Called when a seat is taken. */
  onSeat: ((process: Process) => void) | undefined;
  readonly #world: SimulatedWorld;
  readonly #leftovers = new Set<string>();
  readonly #edited = new Map<string, number>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  watch(store: MemoryStore): void {
    const { seats } = store;
    const set = seats.set.bind(seats);
    seats.set = (key, seat) => {
      this.#world.count(seats.get(key) ? 'seat of a key taken again' : 'seat of a key taken');
      set(key, seat);
      const { actor } = this.#world;
      if (actor) this.onSeat?.(actor);
    };
  }

  /** Fills seats of a key with executions that ended long ago and whose rows have expired. Half of their jobs are gone. */
  async leaveBehind(userId: string, { key, concurrent }: ConcurrencyLimit): Promise<void> {
    const world = this.#world;
    const long = world.now - LONG_AGO_MS;
    for (let n = 0; n < concurrent; n++) {
      const jobId = `job_${world.random.id(20)}`;
      const due = dueKey(long);
      const schedule = { at: new Date(long).toISOString() };
      const lock = { due, number: long };
      this.#leftovers.add(jobId);
      if (world.random.chance(0.7))
        await world.apply('insertHead', [aHead({ jobId, userId, schedule, status: 'completed', lock })]);
      const seat: Seat = { owner: ownerHash(userId), key, n, jobId, due, number: long };
      await world.apply('writeSeat', [undefined, seat]);
    }
  }

  isLeftover({ jobId }: { jobId: string }): boolean {
    return this.#leftovers.has(jobId);
  }

  head(old: Head | undefined, head: Head): void {
    if (old && JSON.stringify(old.limit) !== JSON.stringify(head.limit))
      this.#edited.set(head.jobId, this.#world.now);
  }

  /** A run starts. `isRunning` says of another run whether it runs too. */
  started(run: Run, runs: readonly Run[], isRunning: (other: Run) => boolean): void {
    const limit = this.#limitOf(run);
    if (!limit) return;
    this.#world.count('run with a key');
    const others = runs.filter((other) => other !== run && !other.ended && isRunning(other));
    const limits = [limit, ...others.flatMap((other) => this.#limitOf(other) ?? [])].filter(
      ({ key }) => key === limit.key,
    );
    if (limits.length > 1) this.#world.count('runs with one key at once');
    for (const { concurrent } of limits) {
      const within = limits.filter((other) => other.concurrent <= concurrent).length;
      if (within > concurrent)
        this.#world.fail(
          'never more runs of a key than allowed',
          `${this.#world.checks.nameOf(run.jobId, run.due)}: ${within} of ${concurrent}`,
        );
    }
  }

  /** Undefined if an edit came between claim and start of a job with `overlap: allow`, whose claim does not write the head. */
  #limitOf({ jobId, claim, overlapAllowed }: Run): ConcurrencyLimit | undefined {
    if (!overlapAllowed) return claim.head?.limit;
    if ((this.#edited.get(jobId) ?? 0) >= claim.openedAt) return undefined;
    return this.#world.store.heads.get(jobId)?.limit;
  }

  /** Whether every seat that the job may use belongs to a run that goes on, or may seem to. */
  isFull({ userId, limit }: Head): boolean {
    if (!limit) return false;
    const { seats } = this.#world.store;
    for (let n = 0; n < limit.concurrent; n++) {
      const seat = seats.get(`${ownerHash(userId)}#${limit.key}#${n}`);
      if (!seat || !this.#isTaken(seat)) return false;
    }
    return true;
  }

  /** A lost run keeps its seat until it is taken over, which takes as long as its own message. */
  #isTaken({ jobId, due, number }: Seat): boolean {
    const { store, now, settings, boot } = this.#world;
    const row = store.rows.get(rowKey({ jobId, due }));
    if (row?.status !== 'RUNNING' || row.number !== number) return false;
    return !isLeaseOver({ now, clockSkewMs: 2 * settings.clockSkewMs, boot }, row);
  }
}
