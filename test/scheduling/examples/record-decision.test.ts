import { expect, test } from 'vitest';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { recordDecision } from '../../../src/scheduling/records/record-decision.ts';
import { at, claimedOf, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

const skip = (due: string, revision: string) =>
  ({ due, revision, status: 'SKIPPED', reason: 'another execution was still running' }) as const;

test('a worker does not skip an execution that another has taken since the head was read', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const message = world.message(jobId, at('12:01:00'));
  world.now = at('12:01:00');
  const seen = world.head(jobId);
  claimedOf(await claim(world.context, 'first', message));

  expect(await recordDecision(world.context, seen, skip(message.due, message.revision))).toBeUndefined();
  expect(world.row(message)).toBeUndefined();
});

test('a decision whose worker died before it wrote the row gets its row from the next decision', async () => {
  const world = standingWorld();
  const { context, store } = world;
  const jobId = await world.create(EVERY_MINUTE);
  const [first, second] = [world.message(jobId, at('12:01:00')), world.message(jobId, at('12:02:00'))];
  const note = { ...skip(first.due, first.revision), at: at('12:01:00') };
  await store.updateHead(world.head(jobId), { note, stamp: 'of a worker that died' });

  await recordDecision(context, world.head(jobId), skip(second.due, second.revision));
  expect([world.row(first), world.row(second)]).toMatchObject([{ status: 'SKIPPED' }, { status: 'SKIPPED' }]);
});
