// What DynamoDB takes in a second: every table and index has partitions, every key is on one of them, and a partition that
// has given all of its units for this second throttles.
import { TICKS_PER_SECOND } from './calendar.ts';
import { mix } from './random.ts';

export interface CapacityOptions {
  readonly name: string;
  readonly partitions: number;
  /** Units a second, of each. */
  readonly limit: number;
  /** Seconds of units that were not used and may be used later. DynamoDB has up to 300 and promises none. */
  readonly burstSeconds: number;
  readonly seed: number;
}

export class Capacity {
  readonly name: string;
  readonly partitions: number;
  readonly limit: number;
  /** Units given, and requests refused. */
  given = 0;
  throttled = 0;
  readonly #burst: number;
  readonly #salt: number;
  readonly #second: Int32Array;
  readonly #used: Float64Array;
  readonly #saved: Float64Array;
  /** Asked for, by partition; what is asked for again after a refusal is not counted twice. */
  readonly #wanted: Float64Array;
  /** Of any partition in any second. */
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
    this.#wanted = new Float64Array(partitions);
  }

  partitionOf(key: number): number {
    return mix(key, this.#salt) % this.partitions;
  }

  /** False: throttled, and nothing is used. */
  take(key: number, units: number, tick: number, again = false): boolean {
    const partition = this.partitionOf(key);
    if (!again) this.#wanted[partition] = (this.#wanted[partition] as number) + units;
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

  /** Takes it back: the request was refused elsewhere. */
  undoClaim(key: number, units: number): void {
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

  /** Of the partition that most was asked of: units a second over so many seconds. */
  hottest(seconds: number): number {
    return Math.max(...this.#wanted) / seconds;
  }

  busiestSecond(): number {
    return this.#busiest;
  }
}
