// Counts refusals by owner, for a log line that names the owners with the most.

/** Owners that one line names. */
const MAX_NAMED = 3;
/** Owners that are counted between two lines. Further ones only add to the total. */
const MAX_COUNTED = 1_000;

export interface Refusals {
  readonly total: number;
  /** The owners with the most refusals, most first. */
  readonly owners: readonly { readonly owner: string; readonly refused: number }[];
}

export class RefusedOwners {
  #counts = new Map<string, number>();
  #total = 0;

  add(owner: string): void {
    this.#total++;
    const count = this.#counts.get(owner);
    if (count !== undefined || this.#counts.size < MAX_COUNTED) this.#counts.set(owner, (count ?? 0) + 1);
  }

  /** The refusals since the last call. Undefined if there were none. */
  take(): Refusals | undefined {
    if (this.#total === 0) return undefined;
    const owners = [...this.#counts]
      .map(([owner, refused]) => ({ owner, refused }))
      .sort((a, b) => b.refused - a.refused)
      .slice(0, MAX_NAMED);
    const refusals = { total: this.#total, owners };
    this.#counts = new Map();
    this.#total = 0;
    return refusals;
  }
}
