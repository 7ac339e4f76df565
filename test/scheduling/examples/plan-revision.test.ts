import { expect, test } from 'vitest';
import { NeverFires } from '../../../src/domain/errors.ts';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { freshRevision, plan } from '../../../src/scheduling/planning/plan-revision.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

test('the entries of a new revision are written at once, its messages are sent when the head counts', async () => {
  const world = standingWorld();
  const { context, store } = world;
  const old = world.head(await world.create(EVERY_MINUTE));
  world.sent.length = 0;

  const revision = freshRevision(context);
  const send = await plan(context, { ...old, revision }, at('12:00:00'));
  const { items } = await store.readSlot(minuteOf(at('12:01:00')), 0);
  expect(items.map((entry) => entry.revision).toSorted()).toEqual([old.revision, revision].toSorted());
  expect(world.sent).toEqual([]);

  await send();
  expect(world.sent[0]).toMatchObject({ revision, fireAt: at('12:01:00') });
});

test('a schedule without an occurrence is refused before anything is written', async () => {
  const world = standingWorld();
  const head = world.head(await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } }));
  const before = world.store.snapshot();
  await expect(plan(world.context, head, at('12:02:00'))).rejects.toThrow(NeverFires);
  expect(world.store.snapshot()).toEqual(before);
});
