// The budget of steps of searches for occurrences. A search that ends by its budget is not an answer: it throws `SearchEnded`,
// which says where another search goes on, so that no caller takes it for "no further occurrence".
import { PunctualError } from '../errors.ts';

/** Maximum number of steps of one search: a few milliseconds. */
export const STEPS_PER_SEARCH = 20_000;
/** Maximum number of steps of all searches of a request, or of one pass of the watcher over a shard. */
export const STEPS_PER_REQUEST = 500_000;
/** Steps that a search has in any case, so that expensive schedules take nothing from the ordinary ones beside them. */
const ASSURED_STEPS = 1_000;

/** For a program that has nothing else to do meanwhile: the command line, a browser, a test. */
export const WITHOUT_SLICES: SearchLimits = { perSearch: STEPS_PER_REQUEST };

export interface SearchLimits {
  readonly perSearch?: number;
  readonly total?: number;
  /** Whether a search knows what earlier ones of this process have found. Default: true. A test of another process says false. */
  readonly remembers?: boolean;
}

/** Counts the steps of searches. One budget is handed to all searches of a request. */
export class SearchBudget {
  readonly remembers: boolean;
  readonly #perSearch: number;
  #left: number;

  constructor({
    perSearch = STEPS_PER_SEARCH,
    total = STEPS_PER_REQUEST,
    remembers = true,
  }: SearchLimits = {}) {
    this.#perSearch = perSearch;
    this.remembers = remembers;
    this.#left = total;
  }

  /** The steps of all searches that are left. */
  get left(): number {
    return this.#left;
  }

  /** Whether all steps are taken. Further searches have the assured ones only. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** The number of steps that the next search has. */
  get next(): number {
    return Math.min(this.#perSearch, Math.max(this.#left, ASSURED_STEPS));
  }

  /** Begins a search for times after `after`. `path` is the field that an error names. */
  begin(path: string, after: number): SearchSteps {
    const count = (steps: number) => {
      this.#left -= steps;
    };
    return new SearchSteps(path, after, this.next, count, this.remembers);
  }
}

/** Counts the steps of one search. */
export class SearchSteps {
  readonly #path: string;
  #after: number;
  readonly #count: (steps: number) => void;
  readonly remembers: boolean;
  /** The number of steps so far. */
  taken = 0;
  #left: number;

  constructor(
    path: string,
    after: number,
    steps: number,
    count: (steps: number) => void,
    remembers: boolean,
  ) {
    this.remembers = remembers;
    this.#path = path;
    this.#after = after;
    this.#left = steps;
    this.#count = count;
  }

  /**
   * Counts a step, which may be as much work as several. `searchedUntil` is the last instant of which the search knows that it
   * is no occurrence. Throws SearchEnded if no step is left. Every search gets beyond the time from which it began.
   */
  take(searchedUntil: number, steps = 1): void {
    if (this.#left <= 0 && searchedUntil > this.#after)
      throw new SearchEnded(this.#path, this.#after, searchedUntil);
    this.#left -= steps;
    this.taken += steps;
    this.#count(steps);
  }

  /** An earlier search has got up to `searchedUntil`, and this one goes on there. */
  continueAfter(searchedUntil: number): void {
    this.#after = searchedUntil;
  }

  /** As `take`, in a search for the latest occurrence. It looks at later times first, so it says nothing about earlier ones. */
  takeBackwards(steps = 1): void {
    if (this.#left <= 0) throw new SearchEnded(this.#path, this.#after, this.#after);
    this.#left -= steps;
    this.taken += steps;
    this.#count(steps);
  }
}

/** The search for an occurrence has used up its budget of steps. */
export class SearchEnded extends PunctualError {
  readonly status = 422;
  readonly title = 'The search for an occurrence takes too long';
  /** The field that makes the search long. */
  readonly path: string;
  /** No occurrence is due after the time from which the search began, up to and including this time. */
  readonly searchedUntil: number;

  constructor(path: string, after: number, searchedUntil: number) {
    super(
      `${path}: ${range(after, searchedUntil)}, where the search ended by its budget of steps; allowed is a schedule whose next occurrence is found within the budget: with fewer exclusions, or with an interval that divides a day`,
    );
    this.path = path;
    this.searchedUntil = searchedUntil;
  }
}

const range = (after: number, until: number): string =>
  `no occurrence was found from ${new Date(after).toISOString()} to ${new Date(until).toISOString()}`;
