// The checks of jobs by name. Every live job of a name is one that the pointer of the name knows, and after the last request of
// a name has returned, the name has one live job.

import type { Head } from '../../src/domain/jobs/job.ts';
import { type JobName, nameText } from '../../src/domain/jobs/job-name.ts';
import { isLive } from '../../src/jobs/named/find-named-job.ts';
import type { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { SimulatedWorld } from './simulated-world.ts';

export class NameChecks {
  readonly #world: SimulatedWorld;
  /** Names that have been used, and whether their last request has returned. */
  readonly #used = new Map<string, { readonly name: JobName; settled: boolean }>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  watch({ names, heads }: MemoryStore): void {
    const setHead = heads.set.bind(heads);
    heads.set = (jobId, head) => {
      setHead(jobId, head);
      this.#known(head);
    };
    const set = names.set.bind(names);
    names.set = (key, pointer) => {
      if (pointer.previous !== undefined) this.#world.count('pointer of a replacement');
      const result = set(key, pointer);
      for (const head of this.#live(pointer)) this.#known(head);
      return result;
    };
  }

  get used(): JobName[] {
    return [...this.#used.values()].map(({ name }) => name);
  }

  /** A request of the name begins. */
  asked(name: JobName): void {
    if (!this.#used.has(nameText(name))) this.#used.set(nameText(name), { name, settled: false });
  }

  /** The last request of the name has returned this job, and no other is under way. */
  settled(name: JobName, jobId: string): void {
    const live = this.#live(name).map((head) => head.jobId);
    if (live.length !== 1 || live[0] !== jobId)
      this.#fail(name, `${live.length} live jobs (${live.map((id) => this.#world.checks.nameOf(id))})`);
    this.#used.set(nameText(name), { name, settled: true });
  }

  unfinished(): string[] {
    const open = [...this.#used.values()].filter(({ settled }) => !settled);
    return open.map(({ name }) => `a name was not settled: ${nameText(name)}`);
  }

  #live = ({ namespace, name }: JobName): Head[] =>
    this.#world.store.heads
      .all()
      .filter((head) => head.namespace === namespace && head.name === name && isLive(head));

  /** Otherwise no request by name would find the job, and it would run for ever. */
  #known(head: Head): void {
    const { jobId, namespace, name = '' } = head;
    if (namespace === undefined || !isLive(head)) return;
    const pointer = [...this.#world.store.names.values()].find(
      (one) => one.namespace === namespace && one.name === name,
    );
    if (pointer?.jobId !== jobId && pointer?.previous !== jobId)
      this.#fail({ namespace, name }, `no pointer leads to ${this.#world.checks.nameOf(jobId)}`);
  }

  #fail(name: JobName, detail: string): void {
    this.#world.fail('one live job per name', `${nameText(name)}: ${detail}`);
  }
}
