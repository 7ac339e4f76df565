import { expect, it } from 'vitest';
import { Calendar } from '../../bench/model/calendar.ts';
import { Places } from '../../bench/model/places.ts';

it('a place goes to who has waited longest and still does, or is free', () => {
  const places = new Places(new Calendar(1), 2, 1);
  expect(places.take(0)).toBe(true);
  expect(places.take(0)).toBe(false);
  expect(places.take(1)).toBe(true);
  for (const execution of [11, 12, 13]) places.wait(0, execution);
  const stillWaits = (execution: number) => execution !== 11;
  expect(places.leave(0, stillWaits)).toBe(12);
  expect(places.free(0)).toBe(0);
  expect(places.leave(0, stillWaits)).toBe(13);
  expect(places.leave(0, stillWaits)).toBeUndefined();
  expect(places.free(0)).toBe(1);
});

it('counts how long places were taken, those that still are included', () => {
  const calendar = new Calendar(1);
  const places = new Places(calendar, 1, 2);
  calendar.call(100, () => places.take(0));
  calendar.call(200, () => places.take(0));
  calendar.call(300, () => places.leave(0, () => true));
  calendar.run();
  expect(places.taken(1_000)).toBe(900 + 800 - 700);
});
