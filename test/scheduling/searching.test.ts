// A search for the next occurrence that ends by its budget is not an answer: dispatch goes on with it in the next slots.
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { asUser } from '../../src/domain/principal.ts';
import { nextOccurrence, occurrencesAfter } from '../../src/domain/schedule/occurrences.ts';
import type { ScheduleInput } from '../../src/domain/schedule/schedule-schema.ts';
import { SearchBudget, SearchEnded } from '../../src/domain/schedule/search-budget.ts';
import { useZoneRules } from '../../src/domain/schedule/zones.ts';
import { jobView } from '../../src/domain/views/views.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { pauseJob, resumeJob } from '../../src/jobs/pause-job.ts';
import { getJob } from '../../src/queries/get-job.ts';
import { dispatchSlot } from '../../src/scheduling/planning/dispatch-slot.ts';
import { settleSlot } from '../../src/scheduling/planning/settle-slot.ts';
import { withSearchBudget } from '../../src/scheduling/searches.ts';
import { MINUTE, type StandingWorld, standingWorld, USER } from '../support/standing-world.ts';

const unlimited = () => new SearchBudget({ perSearch: 1e12, total: 1e12 });
/** Another process knows nothing of what this one has found. */
const inAnotherProcess = () => useZoneRules(undefined);
afterEach(inAnotherProcess);

/** It fires on 2026-12-21 and then in 2127. */
const RARE: ScheduleInput = {
  every: 'PT3599S',
  startAt: '2016-12-21T05:56:28Z',
  timezone: 'Europe/Paris',
  except: [
    { cron: '* * * 1-11 *' },
    { cron: '* * 1-20,22-31 12 *' },
    { cron: '* 0-5,7-23 * * *' },
    { cron: '0-34,36-59 * * * *' },
    '2065-12-21',
  ],
};

/** Dispatches the slots from `minute` on, each one in another process with the budget. A killed process repeats its slot. */
async function dispatchSlots(
  world: StandingWorld,
  minute: number,
  slots: number,
  total: number,
  isKilled = false,
) {
  for (let slot = minute; slot < minute + slots; slot++) {
    world.now = Math.max(world.now, slot * MINUTE);
    for (let tries = 0; tries < (isKilled ? 2 : 1); tries++) {
      inAnotherProcess();
      await withSearchBudget({ perSearch: total, total }, () => dispatchSlot(world.context, 0, slot));
    }
  }
}

const entriesOf = (world: StandingWorld, kind: string) =>
  world.store.snapshot().entries.filter((e) => e.kind === kind);

test.each([{ isKilled: false }, { isKilled: true }])(
  'a job whose second gap is over the budget fires, shows that it searches, and knows its next run in the end (killed: $isKilled)',
  async ({ isKilled }) => {
    const world = standingWorld();
    const jobId = await world.create({ schedule: RARE });
    const { schedule } = world.head(jobId);
    const [first = 0, second = 0] = [...occurrencesAfter(schedule, world.now, unlimited())].slice(0, 2);
    expect([first, second].map((due) => new Date(due).getUTCFullYear())).toEqual([2026, 2127]);

    const total = 300;
    await dispatchSlots(world, minuteOf(first), 1, total, isKilled);
    expect(world.sent.map(({ due }) => Number(due))).toContain(first);
    expect(entriesOf(world, 'regular')).toHaveLength(1);
    expect(entriesOf(world, 'search').length).toBeGreaterThan(0);

    world.now = first + 1_000;
    inAnotherProcess();
    const view = await withSearchBudget({ perSearch: total, total }, () =>
      getJob(world.context, asUser(USER), jobId),
    );
    expect(view).toMatchObject({ status: 'active', searchingSince: new Date(first).toISOString() });
    expect(view).not.toHaveProperty('nextRunAt');

    await dispatchSlots(world, minuteOf(first) + 1, 1_000, total, isKilled);
    expect(entriesOf(world, 'regular').map(({ at }) => at)).toEqual([first, second]);
    // the search has ended, so nothing goes on
    expect(entriesOf(world, 'search').every(({ at }) => at < (minuteOf(first) + 1_000) * MINUTE)).toBe(true);
    expect(world.errors).toEqual([]);
    const found = jobView(world.head(jobId), undefined, first + 1, undefined, unlimited());
    expect(found).toMatchObject({ status: 'active', nextRunAt: new Date(second).toISOString() });
  },
);

test('a create whose first occurrence is over the budget is refused, and leaves nothing behind', async () => {
  const world = standingWorld();
  const late = { ...RARE, except: [...(RARE.except ?? []), '2026-12-21'] };
  const creating = withSearchBudget({ perSearch: 100, total: 100 }, () => world.create({ schedule: late }));
  await expect(creating).rejects.toThrow(SearchEnded);
  await expect(creating).rejects.toThrow(/^schedule\.except: no occurrence was found from .* allowed is /);
  expect(world.store.heads.all()).toEqual([]);
  expect(world.store.snapshot().entries).toEqual([]);
});

test('an edit to it is refused, and a resume goes on with the search', async () => {
  const world = standingWorld();
  const jobId = await world.create({ schedule: RARE });
  world.now = Date.parse('2026-12-22T00:00:00Z');
  const limits = { perSearch: 100, total: 100 };
  inAnotherProcess();
  const editing = withSearchBudget(limits, () =>
    editJob(world.context, asUser(USER), jobId, { schedule: { ...RARE, jitterSeconds: 1 } }),
  );
  await expect(editing).rejects.toThrow(SearchEnded);
  await pauseJob(world.context, asUser(USER), jobId);
  inAnotherProcess();
  await withSearchBudget(limits, () => resumeJob(world.context, asUser(USER), jobId));
  const [search] = entriesOf(world, 'search');
  expect(search?.revision).toBe(world.head(jobId).revision);
  await dispatchSlots(world, minuteOf(search?.at ?? 0), 2_000, 100);
  const { revision } = world.head(jobId);
  const planned = entriesOf(world, 'regular').filter((e) => e.revision === revision);
  expect(planned.map(({ at }) => new Date(at).getUTCFullYear())).toEqual([2127]);
});

test('a change of the job ends the search of its former revision', async () => {
  const world = standingWorld();
  const jobId = await world.create({ schedule: RARE });
  const first = nextOccurrence(world.head(jobId).schedule, world.now, unlimited()) ?? 0;
  await dispatchSlots(world, minuteOf(first), 3, 100);
  const before = entriesOf(world, 'search').length;
  await editJob(world.context, asUser(USER), jobId, { schedule: { every: 'PT1H' } });
  await dispatchSlots(world, minuteOf(first) + 3, 3, 100);
  expect(entriesOf(world, 'search').length).toBe(before);
});

test('settle begins a search where dispatch goes on with it, and sees no execution in one', async () => {
  const world = standingWorld();
  const jobId = await world.create({ schedule: RARE });
  const first = nextOccurrence(world.head(jobId).schedule, world.now, unlimited()) ?? 0;
  world.now = first + 3 * MINUTE;
  const cursor = minuteOf(first) + 5;
  inAnotherProcess();
  await withSearchBudget({ perSearch: 100, total: 100 }, () =>
    settleSlot(world.context, 0, minuteOf(first), cursor),
  );
  const [search] = entriesOf(world, 'search');
  expect(minuteOf(search?.at ?? 0)).toBe(cursor + 1);
  const sent = world.sent.length;
  await settleSlot(world.context, 0, cursor + 1, cursor + 2);
  expect(world.sent.length).toBe(sent);
});

const field = (max: number) => fc.constantFrom('*', '*/2', '1/3', `0-${max - 1}`, '5', `1-${max}`);
const schedules: fc.Arbitrary<ScheduleInput> = fc
  .tuple(
    fc.oneof(
      fc
        .integer({ min: 30, max: 200 })
        .map((seconds) => ({ every: `PT${seconds}S`, startAt: '2026-12-01T12:00:10Z' })),
      fc.constantFrom({ cron: '*/20 * * * * *' }, { cron: '* * * * *' }, { cron: '*/7 * * * *' }),
    ),
    fc.constantFrom('UTC', 'Europe/Paris', '+05:30'),
    fc.array(
      fc.tuple(field(59), field(59)).map(([second, minute]) => ({ cron: `${second} ${minute} * * * *` })),
      { maxLength: 3 },
    ),
  )
  .map(([kind, timezone, except]) => ({ ...kind, timezone, except }));

test('with budgets of a few steps, each occurrence of any schedule is sent once, however often the process dies', async () => {
  await fc.assert(
    fc.asyncProperty(
      schedules,
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (schedule, steps, isKilled) => {
        const world = standingWorld();
        inAnotherProcess();
        const jobId = await world.create({ schedule }).catch(() => undefined);
        if (jobId === undefined) return;
        const { schedule: resolved } = world.head(jobId);
        const start = world.now;
        const slots = 40;
        const end = start + slots * MINUTE;
        const expected: number[] = [];
        for (const due of occurrencesAfter(resolved, start - 1, unlimited())) {
          if (due >= end) break;
          expected.push(due);
        }
        // the search falls behind by some slots, and gets its occurrences later
        await dispatchSlots(world, minuteOf(start), slots + 200, steps, isKilled);
        const sent = new Set(world.sent.map(({ due }) => Number(due)).filter((due) => due < end));
        expect([...sent].sort((a, b) => a - b)).toEqual(expected);
        expect(world.errors).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
});
