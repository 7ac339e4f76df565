// The workload. An execution is a number, which decides its due time, its tenant and its keys.
import { TICKS_PER_SECOND } from './calendar.ts';
import type { ModelOptions } from './options.ts';
import { mix } from './random.ts';

/** Simulated seconds before the first due time. A message is visible up to two seconds before it is due. */
export const LEAD_SECONDS = 4;

export class Workload {
  readonly options: ModelOptions;
  readonly executions: number;
  readonly #jobs: number;

  constructor(options: ModelOptions) {
    this.options = options;
    this.executions = Math.round(options.rate * options.duration);
    this.#jobs = Math.max(1, Math.round(options.rate * options.every));
  }

  jobOf(execution: number): number {
    return execution % this.#jobs;
  }

  /** One hash decides shard, queue and index partition, as in src/domain/hash.ts. */
  hashOf(job: number): number {
    return mix(job, this.options.seed);
  }

  shardOf(execution: number): number {
    return this.hashOf(this.jobOf(execution)) % this.options.shards;
  }

  queueOf(execution: number): number {
    return this.hashOf(this.jobOf(execution)) % this.options.queues;
  }

  /** Tenant 0 is the largest. */
  tenantOf(execution: number): number {
    const { tenants, tenantShare, seed } = this.options;
    const job = this.jobOf(execution);
    if (tenants === 1 || mix(job, seed + 1) / 0x1_0000_0000 < tenantShare) return 0;
    return tenantShare > 0 ? 1 + (mix(job, seed + 2) % (tenants - 1)) : mix(job, seed + 2) % tenants;
  }

  /** The index key `<user>#<k>` as a number. */
  ownerOf(execution: number): number {
    const { indexPartitions } = this.options;
    const partition = this.hashOf(this.jobOf(execution)) % indexPartitions;
    return this.tenantOf(execution) * indexPartitions + partition;
  }

  dueTick(execution: number): number {
    const { rate, due } = this.options;
    const seconds = execution / rate;
    const at =
      due === 'even' ? seconds : due === 'second' ? Math.floor(seconds) : Math.floor(seconds / 60) * 60;
    return Math.floor((LEAD_SECONDS + at) * TICKS_PER_SECOND);
  }

  /** The executions that are due in a simulated second, `to` excluded. */
  inSecond(second: number): [from: number, to: number] {
    const { rate, due, duration } = this.options;
    if (due === 'minute') {
      if (second % 60 !== 0) return [0, 0];
      return [Math.ceil(second * rate), Math.ceil(Math.min(duration, second + 60) * rate)];
    }
    return [Math.ceil(second * rate), Math.ceil((second + 1) * rate)];
  }
}
