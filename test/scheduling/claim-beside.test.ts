import { expect, test } from 'vitest';
import { claim } from '../../src/scheduling/claim.ts';
import { standingWorld } from './world.ts';

test('overlap allow: the answer to the insert of the hold is lost, and the execution runs as its first attempt', async () => {
  const world = standingWorld();
  await world.create({ overlap: 'allow', retry: { maxAttempts: 1 } });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  // as the SDK shows it: its own second try is refused by what the first one wrote
  const insert = world.store.insertHoldItem.bind(world.store);
  world.store.insertHoldItem = async (item) => {
    await insert(item);
    return false;
  };
  const answer = await claim(world.context, 'worker', message);
  expect(answer).toMatchObject({ kind: 'run', claimed: { hold: { attempt: 1 } } });
});
