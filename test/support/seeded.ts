// Random numbers from a seed. They are the same on every machine and in every version.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** sfc32: small, fast, and good enough that neighbouring seeds have nothing in common. */
export class Seeded {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number, stream = 0) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 0x1_0000_0000) | 0;
    this.#c = stream | 0;
    for (let i = 0; i < 12; i++) this.bits();
  }

  /** 32 random bits as an unsigned number. */
  bits(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return t >>> 0;
  }

  /** In [0, 1). */
  float(): number {
    return this.bits() / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.float() * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** Picks a key by its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const keys = Object.keys(weights) as K[];
    let left = this.float() * keys.reduce((sum, key) => sum + weights[key], 0);
    for (const key of keys) {
      left -= weights[key];
      if (left < 0) return key;
    }
    return keys.at(-1) as K;
  }

  id(length: number): string {
    let text = '';
    for (let i = 0; i < length; i++) text += ALPHABET[this.bits() % 62];
    return text;
  }
}
