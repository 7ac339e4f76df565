import { expect, it } from 'vitest';
import { Calendar } from '../../bench/model/calendar.ts';
import { Places } from '../../bench/model/places.ts';

it('a released place goes to the execution that has waited longest, or is free', () => {
  const places = new Places(new Calendar(1), 2, 1);
  expect(places.acquire(0)).toBe(true);
  expect(places.acquire(0)).toBe(false);
  expect(places.acquire(1)).toBe(true);
  for (const execution of [11, 12, 13]) places.wait(0, execution);
  const stillWaits = (execution: number) => execution !== 11;
  expect(places.release(0, stillWaits)).toBe(12);
  expect(places.free(0)).toBe(0);
  expect(places.release(0, stillWaits)).toBe(13);
  expect(places.release(0, stillWaits)).toBeUndefined();
  expect(places.free(0)).toBe(1);
});

it('counts the ticks that places were used, including those still in use', () => {
  const calendar = new Calendar(1);
  const places = new Places(calendar, 1, 2);
  calendar.call(100, () => places.acquire(0));
  calendar.call(200, () => places.acquire(0));
  calendar.call(300, () => places.release(0, () => true));
  calendar.run();
  expect(places.usedTicks(1_000)).toBe(900 + 800 - 700);
});
