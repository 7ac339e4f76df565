// The rule by which owners share a limited number of slots. The more slots are free, the more one owner may hold, so a slot is
// left for an owner that comes later (docs/fairness.md#places).

/** One owner alone uses 80 % of the slots, a second owner 16 %, and a third one 3 %. */
export const DEFAULT_OWNER_SHARE = 0.8;

export interface Slots {
  readonly size: number;
  readonly free: number;
}

export interface FairShare {
  /** The slots that one owner may hold for each free slot: 4 for a share of 0.8. Infinity if the rule is off. */
  readonly alpha: number;
  /**
   * Whether an owner that holds `held` slots may have one more. Its first slot needs a free slot only. For a further one, it must
   * hold less than `alpha` times the slots that remain free afterwards. With at most `alpha` slots, no share is kept.
   */
  allows(held: number, slots: Slots): boolean;
}

/** `share` is the largest share of the slots that one owner alone may hold. With 1, the rule is off. */
export function createFairShare(share: number = DEFAULT_OWNER_SHARE): FairShare {
  // rounded, because 0.8 / 0.2 is more than 4
  const alpha = share >= 1 ? Number.POSITIVE_INFINITY : Math.round((share / (1 - share)) * 1e6) / 1e6;
  return {
    alpha,
    allows: (held, { size, free }) => free > 0 && (held === 0 || size <= alpha || held < alpha * (free - 1)),
  };
}
