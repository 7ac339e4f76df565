import { beforeEach, expect, it } from 'vitest';
import {
  LONGEST_PATIENCE_MS,
  MOST_PROMISED_PER_PLACE,
  PLACE_PATIENCE_MS,
  Places,
} from '../../src/worker/places.ts';
import { StandingClock } from './harness.ts';

const SIZE = 10;
let clock: StandingClock;
let places: Places;
beforeEach(() => {
  clock = new StandingClock();
  places = new Places(SIZE, clock);
});

const promises = (): number => {
  let made = 0;
  while (places.promise()) made++;
  for (let i = 0; i < made; i++) places.redeem();
  return made;
};
/** All are taken; tasks that ran so long have been here before. */
async function fill(ranForMs?: number): Promise<void> {
  for (let i = 0; i < SIZE; i++) await places.take();
  if (ranForMs === undefined) return;
  for (let i = 0; i < 200; i++) {
    places.leave(ranForMs);
    await places.take();
  }
}
/** After how long a place was given, or refused. */
async function waited(): Promise<{ given: boolean; ms: number }> {
  const began = clock.now();
  const taking = places.take().then((given) => ({ given, ms: clock.now() - began }));
  await clock.advance(10 * LONGEST_PATIENCE_MS);
  return taking;
}

it('before anything has ended, tasks are taken to be short', async () => {
  expect(promises()).toBe(SIZE * MOST_PROMISED_PER_PLACE);
  await fill();
  expect(promises()).toBe(SIZE * (MOST_PROMISED_PER_PLACE - 1));
});

it.each([
  [1, MOST_PROMISED_PER_PLACE],
  [100, 20],
  [PLACE_PATIENCE_MS, 2],
  [60_000, 1],
])('of tasks that run %d ms, %d are promised for each place', async (ranForMs, each) => {
  await fill(ranForMs);
  expect(promises()).toBe(SIZE * (each - 1));
});

it('what was in a place without running says nothing about tasks', async () => {
  await fill();
  places.leave(undefined);
  expect(promises()).toBe(SIZE * (MOST_PROMISED_PER_PLACE - 1) + 1);
});

it('who waits is given up on after a while, later where its turn will come', async () => {
  await fill();
  expect(await waited()).toEqual({ given: false, ms: PLACE_PATIENCE_MS });
  places.leave(1);
  await places.take();
  expect(await waited()).toEqual({ given: false, ms: LONGEST_PATIENCE_MS });
});

it('a place that becomes free goes to who has waited longest', async () => {
  await fill();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (n) => (await places.take()) && order.push(n));
  for (let i = 0; i < 2; i++) places.leave(5);
  await clock.advance(PLACE_PATIENCE_MS);
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
  expect(places.free).toBe(0);
});

it('when closed, none is given any more, and who waits is told', async () => {
  await fill();
  const waiting = places.take();
  places.close();
  expect(await waiting).toBe(false);
  places.leave(5);
  expect(places.free).toBe(1);
  expect(await places.take()).toBe(false);
});
