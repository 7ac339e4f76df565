import { expect, it } from 'vitest';
import { Calendar } from '../../bench/model/calendar.ts';
import { RunSlots } from '../../bench/model/run-slots.ts';

it('a released slot goes to the execution that has waited longest, or is free', () => {
  const slots = new RunSlots(new Calendar(1), 2, 1);
  expect(slots.acquire(0)).toBe(true);
  expect(slots.acquire(0)).toBe(false);
  expect(slots.acquire(1)).toBe(true);
  for (const execution of [11, 12, 13]) slots.wait(0, execution);
  const stillWaits = (execution: number) => execution !== 11;
  expect(slots.release(0, stillWaits)).toBe(12);
  expect(slots.free(0)).toBe(0);
  expect(slots.release(0, stillWaits)).toBe(13);
  expect(slots.release(0, stillWaits)).toBeUndefined();
  expect(slots.free(0)).toBe(1);
});

it('counts the ticks that slots were used, including those still in use', () => {
  const calendar = new Calendar(1);
  const slots = new RunSlots(calendar, 1, 2);
  calendar.call(100, () => slots.acquire(0));
  calendar.call(200, () => slots.acquire(0));
  calendar.call(300, () => slots.release(0, () => true));
  calendar.run();
  expect(slots.usedTicks(1_000)).toBe(900 + 800 - 700);
});
