import { afterEach, expect, test } from 'vitest';
import { intlOffset, useZoneRules } from '../../../src/domain/schedule/zones.ts';
import { regularEntry } from '../../../src/scheduling/planning/plan.ts';
import { byPresentRules, lostFrom, replanFrom } from '../../../src/scheduling/planning/replan.ts';
import { at, MINUTE, NOON, standingWorld } from '../../support/standing-world.ts';

afterEach(() => useZoneRules(undefined));

/** New time-zone data: the clocks of Paris are another hour ahead. */
const moveParisByAnHour = () =>
  useZoneRules((zone, instant) => intlOffset(zone, instant) + (zone === 'Europe/Paris' ? 60 * MINUTE : 0));

test('an occurrence that new time-zone data has moved is planned again from its new time', async () => {
  const world = standingWorld();
  const head = world.head(await world.create({ schedule: { cron: '0 16 * * *', timezone: 'Europe/Paris' } }));
  const entry = regularEntry(head, at('15:00:00'));
  expect(byPresentRules(head, [entry])).toEqual({ valid: [entry], moved: [] });

  moveParisByAnHour();
  expect(byPresentRules(head, [entry])).toEqual({ valid: [], moved: [entry] });
  expect(replanFrom(head, entry)).toBe(at('14:00:00') - 1);
});

test('an occurrence that has moved to before the planned one, and into the past, is found as lost', async () => {
  const world = standingWorld();
  const head = world.head(await world.create({ schedule: { cron: '0 16 * * *', timezone: 'Europe/Paris' } }));
  world.now = at('14:30:00');
  expect(await lostFrom(world.context, head, at('15:00:00'))).toBeUndefined();

  moveParisByAnHour();
  expect(await lostFrom(world.context, head, at('15:00:00'))).toBe(NOON);
});
