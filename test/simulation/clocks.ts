// Wrong clocks: the wall clock of a machine jumps by minutes to an hour and comes back, short-lived processes are born with
// such a clock, and the store has values that a wrong clock has written. The random numbers come from a stream of their
// own, so that they do not change the seeds without wrong clocks.
import { dueKey } from '../../src/domain/executions/ids.ts';
import { MINUTE, minuteOf } from '../../src/domain/executions/slots.ts';
import { Seeded } from '../support/seeded.ts';
import type { Process } from './process.ts';
import { EPOCH, type SimulatedWorld } from './simulated-world.ts';

export class Clocks {
  /** Whether this seed has wrong clocks. */
  readonly areWrong: boolean;
  readonly #world: SimulatedWorld;
  readonly #random: Seeded;
  /** Whether servers cache their `Date` for a second. */
  readonly #cached: boolean;

  constructor(world: SimulatedWorld, seed: number, always: boolean) {
    this.#world = world;
    this.#random = new Seeded(seed, 2);
    this.areWrong = this.#random.chance(0.2) || always;
    this.#cached = this.#random.chance(0.3);
  }

  begin(until: number): void {
    const world = this.#world;
    // a machine whose power fails has one clock, and nothing to compare it with
    if (!this.areWrong || world.power) return;
    const random = this.#random;
    const someTime = () => random.int(EPOCH + 1000, until);
    for (let jumps = random.int(1, 4); jumps > 0; jumps--) world.at(someTime(), () => this.#jump(until));
    if (random.chance(0.3)) world.at(someTime(), () => this.#poisonHead());
    if (random.chance(0.2)) world.at(someTime(), () => this.#poisonShards());
  }

  /** How far ahead the clock of a new process is, in milliseconds. Those of most workers are right, and jump later. */
  atBirth({ kind }: Process): number {
    const { areWrong } = this;
    if (
      !areWrong ||
      this.#world.power ||
      this.#world.isCalm ||
      !this.#random.chance(kind === 'worker' ? 0.05 : 0.15)
    )
      return 0;
    this.#world.count(`${kind} with a wrong clock`);
    return this.#error();
  }

  /** A server has answered. The process learns its `Date`, which is in whole seconds and may be cached. */
  answered({ clock }: Process, sent: number, served: number): void {
    const shown = served + this.#random.int(-20, 20) - (this.#cached ? this.#random.int(0, 1000) : 0);
    clock.heard(new Date(shown).toUTCString(), sent, clock.monotonic());
  }

  /** A long poll that began up to 20 s ago has brought a message. */
  polled(process: Process): void {
    const { clock } = process;
    this.answered(process, clock.monotonic() - this.#random.int(1, 20_000), this.#world.now);
  }

  isPollUnderWay(): boolean {
    return this.#random.chance(0.1);
  }

  /** An error of minutes to an hour, ahead or behind. */
  #error(): number {
    const ms = this.#random.int(2 * MINUTE, this.#random.chance(0.5) ? 10 * MINUTE : 60 * MINUTE);
    return this.#random.chance(0.65) ? ms : -ms;
  }

  #jump(until: number): void {
    const world = this.#world;
    const living = [...world.processes];
    if (living.length === 0) return;
    const process = this.#random.pick(living);
    this.set(process, this.#error());
    const back = world.now + this.#random.int(1000, this.#random.chance(0.5) ? 10_000 : 100_000);
    world.at(Math.min(back, until), () => this.set(process, 0));
  }

  set(process: Process, error: number): void {
    if (process.dead || process.error === error) return;
    process.error = error;
    this.#world.count('clock jumps');
    this.#world.trace?.(process, `*** its clock is ${error} ms ahead now`);
  }

  /** Writes a head as a worker with a wrong clock would, if no rule prevented it. */
  #poisonHead(): void {
    const { store, now } = this.#world;
    // a head that covers occurrences already would lose them, because they look the same as those of the wrong clock
    const heads = store.heads
      .all()
      .filter(
        (head) => head.lock && head.status === 'active' && !head.coveredUntil && !('at' in head.schedule),
      );
    if (heads.length === 0) return;
    const head = this.#random.pick(heads);
    const coveredUntil = dueKey(now + this.#random.int(5 * MINUTE, 60 * MINUTE));
    this.#world.count('poisoned head');
    this.#world.trace?.(undefined, `*** ${coveredUntil} is coveredUntil of ${head.jobId}`);
    void this.#world.apply('takeLock', [{ seen: head, lock: head.lock, coveredUntil }]);
  }

  /** Writes what a watcher leaves that dies while its clock is wrong: a long lease, and cursors ahead of time. */
  #poisonShards(): void {
    const { store, settings, now } = this.#world;
    const ahead = this.#random.int(3, 40);
    for (const { shard, token: seen, ...row } of [...store.shards.values()]) {
      const dispatchedUntil = minuteOf(now + settings.lookAheadMs) + ahead;
      const settledUntil = Math.max(row.settledUntil, minuteOf(now) + ahead - 3);
      this.#world.count('poisoned shard');
      this.#world.trace?.(undefined, `*** shard ${shard} is ${ahead} minutes ahead`);
      const token = this.#random.id(12);
      const leaseUntil = now + ahead * MINUTE;
      // both writes take effect at once
      void this.#world.apply('takeShard', [shard, seen, token, leaseUntil]);
      void this.#world.apply('commitShard', [shard, token, { dispatchedUntil, settledUntil, leaseUntil }]);
    }
  }
}
