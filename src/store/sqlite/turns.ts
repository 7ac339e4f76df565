// The queue of the writer, and the choice of the next group. Ranks have an order: writes that lead to a start come first. Within
// a rank owners take turns, so a thousand writes of one owner do not delay the first write of another.
import { OwnerLines } from '../../concurrency/owner-lines.ts';
import { RANKS, type Rank } from './statements.ts';

/** Writes in one commit: about 5 ms of work. Larger groups would delay the writes that arrive meanwhile. */
const MAX_WRITES = 512;
/** Characters in one commit. */
const MAX_TEXT = 1_000_000;
/** A group with starts is kept short: 64 writes, or three times the number of its starts. */
const FEW_WRITES = 64;
/** Every rank gets at least an eighth of a group, so no rank starves. */
const SHARE = 8;

export interface Waiting {
  readonly size: number;
}

/** The writes of one commit. `synced`: the commit waits for the disk. */
export interface Group<T> {
  readonly items: T[];
  readonly synced: boolean;
}

export class Turns<T extends Waiting> {
  readonly #ranks: Record<Rank, OwnerLines<T>> = {
    claim: new OwnerLines(),
    start: new OwnerLines(),
    person: new OwnerLines(),
    record: new OwnerLines(),
  };
  #lastWasClaims = false;

  get waiting(): number {
    return RANKS.reduce((sum, rank) => sum + this.#ranks[rank].waiting, 0);
  }

  add(rank: Rank, owner: string, item: T): void {
    this.#ranks[rank].add(owner, item);
  }

  /**
   * The writes of the next commit. Claims have commits of their own, which do not wait for the disk. They alternate with the
   * commits of the others. An empty group: no write waits.
   */
  take(): Group<T> {
    const claims = this.#ranks.claim.waiting;
    const others = this.waiting - claims;
    this.#lastWasClaims = claims > 0 && (others === 0 || !this.#lastWasClaims);
    return this.#lastWasClaims
      ? { items: this.#fill(['claim'], MAX_WRITES), synced: false }
      : { items: this.#fill(SYNCED, this.#mostSynced()), synced: true };
  }

  #mostSynced(): number {
    const starts = this.#ranks.start.waiting;
    return starts > 0 ? Math.min(MAX_WRITES, Math.max(FEW_WRITES, starts * 3)) : MAX_WRITES;
  }

  #fill(ranks: readonly Rank[], most: number): T[] {
    const group: T[] = [];
    let text = 0;
    const fill = (rank: Rank, count: number, atLeast: number) => {
      for (let i = 0; i < count && (i < atLeast || text < MAX_TEXT); i++) {
        const item = this.#ranks[rank].next();
        if (item === undefined) return;
        text += item.size;
        group.push(item);
      }
    };
    for (const rank of ranks) fill(rank, most / SHARE, 1);
    for (const rank of ranks) fill(rank, most - group.length, 0);
    return group;
  }
}

const SYNCED = RANKS.filter((rank) => rank !== 'claim');
