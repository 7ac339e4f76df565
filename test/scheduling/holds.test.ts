import { expect, test } from 'vitest';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { standingWorld } from '../support/standing-world.ts';

test('a hold whose row retention has removed does not block', async () => {
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

test('a holder that died an hour ago blocks, because it is taken over', async () => {
  const world = standingWorld();
  await world.create({ schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' } });
  const [first] = world.sent;
  if (!first) throw new Error('nothing was sent');
  world.now = first.fireAt;
  await claim(world.context, 'worker', first);
  world.now += 3_600_000;
  const later = { ...first, due: String(world.now), fireAt: world.now };
  expect(await claim(world.context, 'worker', later)).toMatchObject({ kind: 'drop' });
});

test('the hold of an earlier boot of an embedded server is taken over at once, that of the same boot is not', async () => {
  const world = standingWorld();
  await world.create({
    schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' },
    retry: { maxAttempts: 3 },
  });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  world.now = message.fireAt;
  const before = { ...world.context, boot: 'before' };
  const after = { ...world.context, boot: 'after' };
  expect(await claim(before, 'worker', message)).toMatchObject({ kind: 'run' });
  expect(await claim(before, 'another', message)).toMatchObject({ kind: 'later' });
  expect(await claim(world.context, 'elsewhere', message)).toMatchObject({ kind: 'later' });
  expect(await claim(after, 'worker', message)).toMatchObject({
    kind: 'run',
    claimed: { hold: { boot: 'after' } },
  });
  expect(await claim(after, 'another', message)).toMatchObject({ kind: 'later' });
});

test('a hold has no boot id on AWS', async () => {
  const world = standingWorld();
  await world.create({ schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' } });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  world.now = message.fireAt;
  const answer = await claim(world.context, 'worker', message);
  expect(answer.kind === 'run' && 'boot' in answer.claimed.hold).toBe(false);
});
