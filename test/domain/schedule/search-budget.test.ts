import { expect, test } from 'vitest';
import { nextOccurrence } from '../../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../../src/domain/schedule/schedule-schema.ts';
import { SearchBudget, SearchEnded } from '../../../src/domain/schedule/search-budget.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');

/** One minute of the year is left, and the rate seldom meets it. */
const RARE: ScheduleInput = {
  every: 'PT3599S',
  startAt: '2016-12-21T05:56:28Z',
  timezone: 'Europe/Paris',
  except: [
    { cron: '* * * 1-11 *' },
    { cron: '* * 1-30 12 *' },
    { cron: '* 0-22 * * *' },
    { cron: '0-58 * * * *' },
  ],
};

const resolve = (input: ScheduleInput) => resolveSchedule(input, NOW);

/** Goes on where a search has ended. Undefined if no occurrence is left. */
function nextInParts(input: ScheduleInput, perSearch: number): { due: number | undefined; parts: number } {
  let after = NOW;
  for (let parts = 1; parts < 100_000; parts++) {
    try {
      return { due: nextOccurrence(resolve(input), after, new SearchBudget({ perSearch })), parts };
    } catch (error) {
      if (!(error instanceof SearchEnded)) throw error;
      expect(error.searchedUntil).toBeGreaterThan(after);
      after = error.searchedUntil;
    }
  }
  throw new Error('the search does not end');
}

test('a search that goes on where it ended finds the same occurrence', () => {
  const unlimited = new SearchBudget({ perSearch: 1e9, total: 1e9 });
  const due = nextOccurrence(resolve(RARE), NOW, unlimited);
  const inParts = nextInParts(RARE, 40);
  expect(inParts.due).toBe(due);
  expect(inParts.parts).toBeGreaterThan(10);
});
