import { expect, test } from 'vitest';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { dispatchSlot } from '../../../src/scheduling/planning/dispatch-slot.ts';
import { at, standingWorld } from '../../support/standing-world.ts';

const EVERY_HALF_HOUR = { schedule: { every: 'PT30M', startAt: '2026-12-01T12:30:00Z' } };
const dispatch = (world: ReturnType<typeof standingWorld>, time: string) =>
  dispatchSlot(world.context, 0, minuteOf(at(time)));

test('dispatch sends the message of an occurrence and plans the next one', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_HALF_HOUR);
  const entriesAt = async (time: string) => (await world.store.readSlot(minuteOf(at(time)), 0)).items;
  expect(await entriesAt('13:00:00')).toEqual([]);

  world.now = at('12:25:00');
  expect(await dispatch(world, '12:30:00')).toEqual({ sent: 1 });
  expect(world.sent).toMatchObject([{ jobId, fireAt: at('12:30:00') }]);
  expect(await entriesAt('13:00:00')).toMatchObject([{ jobId, kind: 'regular' }]);
});

test('a slot that is dispatched twice sends twice and plans nothing more', async () => {
  const world = standingWorld();
  await world.create(EVERY_HALF_HOUR);
  await dispatch(world, '12:30:00');
  const planned = world.store.snapshot();
  await dispatch(world, '12:30:00');
  expect(world.sent).toHaveLength(2);
  expect(world.store.snapshot()).toEqual(planned);
});
