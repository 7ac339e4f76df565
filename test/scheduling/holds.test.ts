import { expect, test } from 'vitest';
import { claim } from '../../src/scheduling/claim.ts';
import { standingWorld } from './world.ts';

test('a hold whose row is gone by retention keeps nobody out', async () => {
  const world = standingWorld();
  await world.create({ schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' } });
  const [first] = world.sent;
  if (!first) throw new Error('nothing was sent');
  world.now = first.fireAt;
  expect(await claim(world.context, 'worker', first)).toMatchObject({ kind: 'run' });

  // its row would have been here, and has expired
  world.now += 100 * 86_400_000;
  const later = { ...first, due: String(world.now), fireAt: world.now };
  expect(await claim(world.context, 'worker', later)).toMatchObject({ kind: 'run' });
});

test('a holder that died an hour ago is waited for: it is taken over', async () => {
  const world = standingWorld();
  await world.create({ schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' } });
  const [first] = world.sent;
  if (!first) throw new Error('nothing was sent');
  world.now = first.fireAt;
  await claim(world.context, 'worker', first);
  world.now += 3_600_000;
  const later = { ...first, due: String(world.now), fireAt: world.now };
  expect(await claim(world.context, 'worker', later)).toMatchObject({ kind: 'done' });
});
