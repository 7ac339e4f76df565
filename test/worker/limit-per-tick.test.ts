import { expect, test } from 'vitest';
import { limitPerTick } from '../../src/worker/limit-per-tick.ts';

test('limits how many pass in one turn of the event loop, and keeps their order', async () => {
  const { pass } = limitPerTick(2);
  const passed: string[] = [];
  const all = ['a', 'b', 'c', 'd', 'e'].map(async (name) => {
    await pass();
    passed.push(name);
  });
  await Promise.resolve();
  expect(passed).toEqual(['a', 'b']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(passed).toEqual(['a', 'b', 'c', 'd']);
  await Promise.all(all);
  expect(passed).toEqual(['a', 'b', 'c', 'd', 'e']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(pass(), 'a turn later there is room again').toBeUndefined();
});

test('is idle when no caller waits to pass', async () => {
  const { pass, idle } = limitPerTick(1);
  expect(idle(), 'nobody waits').toBeUndefined();
  const passed: string[] = [];
  const all = ['a', 'b', 'c'].map(async (name) => {
    await pass();
    passed.push(name);
  });
  await idle();
  expect(passed).toEqual(['a', 'b', 'c']);
  await Promise.all(all);
  expect(idle()).toBeUndefined();
});
