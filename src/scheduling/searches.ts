// The searches for occurrences of one request, or of one pass of the watcher. They share a budget of steps, and between two of
// them other work gets its turn.
import { AsyncLocalStorage } from 'node:async_hooks';
import { giveWay } from '../concurrency/request-turns.ts';
import { nextOccurrence, unlessEnded } from '../domain/schedule/occurrences.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import { SearchBudget, SearchEnded, type SearchLimits } from '../domain/schedule/search-budget.ts';
import type { Context } from './context.ts';

const budgets = new AsyncLocalStorage<SearchBudget>();

/** All searches of `work` share a budget. */
export const withSearchBudget = <T>(limits: SearchLimits | undefined, work: () => T): T =>
  budgets.run(new SearchBudget(limits), work);

/** The budget of the request or pass that asks. Outside of both, a new one. */
export const searchesOf = ({ searchLimits }: Pick<Context, 'searchLimits'>): SearchBudget =>
  budgets.getStore() ?? new SearchBudget(searchLimits);

/**
 * Repeats `work` while its searches end by the limit of a single search, and the budget has steps left. A schedule remembers how
 * far a search has got, so a repetition goes on from there.
 */
export async function inSearchParts<T>(
  context: Pick<Context, 'searchLimits'>,
  work: (searches: SearchBudget) => T,
): Promise<T> {
  const searches = searchesOf(context);
  for (;;) {
    try {
      return work(searches);
    } catch (error) {
      if (!(error instanceof SearchEnded) || searches.isSpent) throw error;
    }
    const turn = giveWay();
    if (turn) await turn;
  }
}

/**
 * The occurrences with after < due ≤ until, in slices. Throws SearchEnded if the budget ends before `until`, after the
 * occurrences that were found.
 */
export async function* occurrencesInParts(
  context: Pick<Context, 'searchLimits'>,
  schedule: Schedule,
  after: number,
  until = Number.POSITIVE_INFINITY,
): AsyncGenerator<number, void, undefined> {
  const searches = searchesOf(context);
  for (let from = after; from < until; ) {
    const turn = giveWay();
    if (turn) await turn;
    const due = unlessEnded(
      () => nextOccurrence(schedule, from, searches),
      (ended) => ended,
    );
    if (due instanceof SearchEnded) {
      if (due.searchedUntil < until && searches.isSpent) throw due;
      from = due.searchedUntil;
    } else {
      if (due === undefined || due > until) return;
      yield due;
      from = due;
    }
  }
}
