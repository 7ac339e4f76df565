import { beforeEach, expect, it } from 'vitest';
import { createFairShare } from '../../src/concurrency/fair-share.ts';
import {
  MAX_RESERVED_PER_SLOT,
  MAX_SLOT_WAIT_MS,
  RunSlots,
  SLOT_WAIT_MS,
} from '../../src/worker/run-slots.ts';
import { StandingClock } from '../support/standing-clock.ts';

const SIZE = 10;
const ANN = 'ann';
const UNSHARED = createFairShare(1);
let clock: StandingClock;
let slots: RunSlots;
beforeEach(() => {
  clock = new StandingClock();
  slots = new RunSlots(SIZE, clock, UNSHARED);
});

/** All slots are acquired. `ranForMs` are the run times of tasks that have ended. */
async function full(ranForMs?: number, size = SIZE): Promise<void> {
  slots = new RunSlots(size, clock, UNSHARED);
  for (let i = 0; i < size; i++) await slots.acquire(ANN);
  if (ranForMs === undefined) return;
  slots.release(ANN, ranForMs);
  await slots.acquire(ANN);
}

const promises = (): number => {
  let made = 0;
  while (slots.reserve(ANN)) made++;
  for (let i = 0; i < made; i++) slots.unreserve(ANN);
  return made;
};

/** The time after which a slot was acquired or refused. */
async function waited(): Promise<{ given: boolean; ms: number }> {
  const began = clock.now();
  const given = await slots.acquire(ANN);
  return { given, ms: clock.now() - began };
}
const REFUSED_SOON = { given: false, ms: SLOT_WAIT_MS };
const REFUSED_LATE = { given: false, ms: MAX_SLOT_WAIT_MS };

it('expects short tasks before any task has ended', async () => {
  expect(promises()).toBe(SIZE * MAX_RESERVED_PER_SLOT);
  await full();
  expect(promises()).toBe(SIZE * (MAX_RESERVED_PER_SLOT - 1));
});

it.each([
  [1, MAX_RESERVED_PER_SLOT],
  [100, 20],
  [SLOT_WAIT_MS, 2],
  [60_000, 1],
])('of tasks that run %d ms, %d are promised for each place', async (ranForMs, each) => {
  await full(ranForMs);
  expect(promises()).toBe(SIZE * (each - 1));
});

it('ignores a slot in which no task ran', async () => {
  await full();
  slots.release(ANN, undefined);
  expect(promises()).toBe(SIZE * (MAX_RESERVED_PER_SLOT - 1) + 1);
});

it('expects no short tasks after a wait failed and no task has ended', async () => {
  await full();
  const waiting = waited();
  await clock.advance(MAX_SLOT_WAIT_MS);
  expect(await waiting).toEqual(REFUSED_SOON);
  expect(promises()).toBe(SIZE);
});

it('ends a wait after a while, later if a slot is expected soon', async () => {
  await full(600, 1);
  const waiting = [waited(), waited()];
  await clock.advance(MAX_SLOT_WAIT_MS);
  // the first after 600 ms, the second after 1,200
  expect(await Promise.all(waiting)).toEqual([REFUSED_LATE, REFUSED_SOON]);
});

it('continues a wait if tasks turn out to be short', async () => {
  await full();
  const waiting = Array.from({ length: 12 }, waited);
  await clock.advance(SLOT_WAIT_MS / 2);
  slots.release(ANN, 900);
  await clock.advance(MAX_SLOT_WAIT_MS);
  const [first, ...others] = await Promise.all(waiting);
  expect(first).toEqual({ given: true, ms: SLOT_WAIT_MS / 2 });
  // eleven are left for ten slots: the last would wait for 990 ms
  expect(others).toEqual(Array(11).fill(REFUSED_LATE));
});

it('passes a free slot to the longest waiter', async () => {
  await full();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (n) => (await slots.acquire(ANN)) && order.push(n));
  for (let i = 0; i < 2; i++) slots.release(ANN, 5);
  await clock.advance(MAX_SLOT_WAIT_MS);
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
  expect(slots.free).toBe(0);
});

it('refuses all slots when it is closed, and ends all waits', async () => {
  await full();
  const waiting = slots.acquire(ANN);
  slots.close();
  expect(await waiting).toBe(false);
  slots.release(ANN, 5);
  expect(slots.free).toBe(1);
  expect(await slots.acquire(ANN)).toBe(false);
});
