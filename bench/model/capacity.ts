// The capacity of a table or index. Every key is on one of its partitions. A partition that has used all units of the
// current second throttles.
import { TICKS_PER_SECOND } from './calendar.ts';
import { mix } from './random.ts';

export interface CapacityOptions {
  readonly name: string;
  readonly partitions: number;
  /** The units per second of each partition. */
  readonly limit: number;
  /** The seconds of unused units that may be used later. DynamoDB keeps up to 300 and guarantees none. */
  readonly burstSeconds: number;
  readonly seed: number;
}

export class Capacity {
  readonly name: string;
  readonly partitions: number;
  readonly limit: number;
  /** The units used, and the number of throttled requests. */
  given = 0;
  throttled = 0;
  readonly #burst: number;
  readonly #salt: number;
  readonly #second: Int32Array;
  readonly #used: Float64Array;
  readonly #saved: Float64Array;
  /** The requested units by partition. Retries are not counted. */
  readonly #requested: Float64Array;
  /** The maximum units of any partition in any second. */
  #busiest = 0;

  constructor({ name, partitions, limit, burstSeconds, seed }: CapacityOptions) {
    this.name = name;
    this.partitions = partitions;
    this.limit = limit;
    this.#burst = burstSeconds * limit;
    this.#salt = mix(seed, [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) | 0);
    this.#second = new Int32Array(partitions);
    this.#used = new Float64Array(partitions);
    this.#saved = new Float64Array(partitions).fill(this.#burst);
    this.#requested = new Float64Array(partitions);
  }

  partitionOf(key: number): number {
    return mix(key, this.#salt) % this.partitions;
  }

  /** False if the request is throttled. It uses no units then. */
  take(key: number, units: number, tick: number, isRetry = false): boolean {
    const partition = this.partitionOf(key);
    if (!isRetry) this.#requested[partition] = (this.#requested[partition] as number) + units;
    this.#roll(partition, Math.floor(tick / TICKS_PER_SECOND));
    const used = (this.#used[partition] as number) + units;
    if (used > this.limit + (this.#saved[partition] as number)) {
      this.throttled++;
      return false;
    }
    this.#used[partition] = used;
    if (used > this.#busiest) this.#busiest = used;
    this.given += units;
    return true;
  }

  /** Returns the units of a request that another limit has refused. */
  refund(key: number, units: number): void {
    const partition = this.partitionOf(key);
    this.#used[partition] = (this.#used[partition] as number) - units;
    this.given -= units;
  }

  #roll(partition: number, second: number): void {
    const passed = second - (this.#second[partition] as number);
    if (passed <= 0) return;
    const unused = this.limit * passed - (this.#used[partition] as number);
    this.#saved[partition] = Math.max(0, Math.min(this.#burst, (this.#saved[partition] as number) + unused));
    this.#second[partition] = second;
    this.#used[partition] = 0;
  }

  /** The requested units per second of the hottest partition, over `seconds`. */
  hottest(seconds: number): number {
    return Math.max(...this.#requested) / seconds;
  }

  busiestSecond(): number {
    return this.#busiest;
  }
}
