import { expect, test } from 'vitest';
import { claim, prepare } from '../../../src/scheduling/claiming/claim.ts';
import { at, claimedOf, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

test('of two workers with the same message one runs, and the other asks again when the lease has ended', async () => {
  const world = standingWorld();
  const { context } = world;
  const message = world.message(await world.create(EVERY_MINUTE), at('12:01:00'));
  world.now = at('12:01:00');

  const first = claimedOf(await claim(context, 'first', message));
  const answer = await claim(context, 'second', message);
  const { leaseMs, clockSkewMs } = context.settings;
  expect(answer).toEqual({ kind: 'later', at: world.now + leaseMs + clockSkewMs + 1 });

  world.now += leaseMs + clockSkewMs + 1;
  const second = claimedOf(await claim(context, 'second', message));
  expect(second.hold).toMatchObject({ workerId: 'second', attempt: 2, number: first.hold.number + 1 });
});

test('a claim that was prepared before another worker took the job does not run', async () => {
  const world = standingWorld();
  const message = world.message(await world.create(EVERY_MINUTE), at('12:01:00'));
  const prepared = await prepare(world.context, message);
  world.now = at('12:01:00');
  claimedOf(await claim(world.context, 'first', message));
  expect(await claim(world.context, 'second', message, prepared)).toMatchObject({ kind: 'later' });
});
