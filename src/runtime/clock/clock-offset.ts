// The offset between a reference clock and a local counter, as an interval. Each observation bounds the offset. The
// intersection of many observations is narrow even where each of them has a resolution of a second.

/** The counter and the reference drift apart by at most 0.5 ms per second. */
const DRIFT = 0.0005;
/** An offset that contradicts all earlier observations is accepted when it has been observed for 60 s. */
export const ACCEPTED_AFTER_MS = 60_000;
/** Observations that must agree, and the time they must span, before a source counts as one without lag. */
const PROMPT_OBSERVATIONS = 30;
const PROMPT_AFTER_MS = 60_000;

export interface Range {
  readonly low: number;
  readonly high: number;
}

interface Estimate extends Range {
  /** Counter value at the last observation. */
  readonly at: number;
  readonly since: number;
  readonly observations: number;
}

const UNKNOWN: Range = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

export class Offset {
  readonly #mostLag: number;
  #estimate: Estimate | undefined;
  /** Recent observations that agree with each other and contradict the estimate. */
  #rival: Estimate | undefined;
  #lags = false;

  /**
   * `mostLag`: a source may show a time that is this much too old, as a server that caches its `Date` header does. The
   * upper bound includes it until 30 observations over 60 s have shown no sign of a lag.
   */
  constructor(mostLag = 0) {
    this.#mostLag = mostLag;
  }

  get isKnown(): boolean {
    return this.#estimate !== undefined;
  }

  /** Bounds of the offset at counter value `at`. Infinite before the first observation. */
  range(at: number): Range {
    if (!this.#estimate) return UNKNOWN;
    const { low, high } = widened(this.#estimate, at);
    return { low, high: high + (this.#isPrompt(at) ? 0 : this.#mostLag) };
  }

  /** The offset was between `low` and `high`, for a source without lag. */
  observe(at: number, low: number, high: number): void {
    const seen: Estimate = { low, high, at, since: at, observations: 1 };
    const together = this.#together(this.#estimate, seen);
    if (together) {
      this.#estimate = together;
      this.#rival = undefined;
      if (together.low > together.high) this.#lags = true;
      return;
    }
    this.#rival = this.#together(this.#rival, seen) ?? seen;
    if (at - this.#rival.since < ACCEPTED_AFTER_MS) return;
    this.#estimate = { ...this.#rival, since: at, observations: 1 };
    this.#lags = this.#rival.low > this.#rival.high;
    this.#rival = undefined;
  }

  /** The counter stood still while the reference moved on by `ms`, which is known to within `uncertainty`. */
  shift(ms: number, uncertainty: number): void {
    if (!this.#estimate) return;
    const { low, high } = this.#estimate;
    this.#estimate = { ...this.#estimate, low: low + ms - uncertainty, high: high + ms + uncertainty };
    this.#rival = undefined;
  }

  forget(): void {
    this.#estimate = undefined;
    this.#rival = undefined;
    this.#lags = false;
  }

  /** Undefined if the two contradict each other with any lag. */
  #together(known: Estimate | undefined, seen: Estimate): Estimate | undefined {
    if (!known) return seen;
    const before = widened(known, seen.at);
    const low = Math.max(before.low, seen.low);
    const high = Math.min(before.high, seen.high);
    if (low > high + this.#mostLag) return undefined;
    return { low, high, at: seen.at, since: known.since, observations: known.observations + 1 };
  }

  #isPrompt(at: number): boolean {
    const { observations, since } = this.#estimate ?? { observations: 0, since: at };
    return !this.#lags && observations >= PROMPT_OBSERVATIONS && at - since >= PROMPT_AFTER_MS;
  }
}

function widened({ low, high, at: then }: Estimate, at: number): Range {
  const drift = Math.max(0, at - then) * DRIFT;
  return { low: low - drift, high: high + drift };
}
