import { expect, test } from 'vitest';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';

const RANKS = ['start', 'record'] as const;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function passing(perTurn: number) {
  const turns = new LoopTurns(perTurn, RANKS);
  const passed: string[] = [];
  const pass = async (name: string, owner = 'ann', rank: (typeof RANKS)[number] = 'start') => {
    await turns.pass(rank, owner);
    passed.push(name);
  };
  return { turns, passed, pass };
}

test('limits how many pass in one turn of the event loop, and keeps their order', async () => {
  const { turns, passed, pass } = passing(2);
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => pass(name));
  await Promise.resolve();
  expect(passed).toEqual(['a', 'b']);
  await nextTurn();
  expect(passed).toEqual(['a', 'b', 'c', 'd']);
  await Promise.all(all);
  expect(passed).toEqual(['a', 'b', 'c', 'd', 'e']);
  await nextTurn();
  expect(turns.pass('start', 'ann'), 'a turn later there is room again').toBeUndefined();
});

test('owners take turns, however many callers one of them has', async () => {
  const { passed, pass } = passing(1);
  const flood = Array.from({ length: 100 }, (_, i) => pass(`ann ${i}`, 'ann'));
  const others = [pass('bob 0', 'bob'), pass('bob 1', 'bob'), pass('cat 0', 'cat')];
  await Promise.all(others);
  expect(passed.length).toBeLessThan(10);
  expect(passed.filter((name) => name.startsWith('bob'))).toEqual(['bob 0', 'bob 1']);
  await Promise.all(flood);
  expect(passed).toHaveLength(103);
});

test('a later rank waits for earlier ones, and still gets a share of each turn', async () => {
  const { turns, passed, pass } = passing(16);
  const starts = Array.from({ length: 1_000 }, () => pass('start'));
  const record = pass('record', 'ann', 'record');
  await Promise.resolve();
  expect(passed).not.toContain('record');
  await record;
  expect(passed.length, 'it waits for a turn, not for all starts').toBeLessThan(100);
  await Promise.all(starts);
  await nextTurn();
  expect(turns.pass('record', 'ann')).toBeUndefined();
});

test('calls at once while the turn has room, and later in the order of the calls', async () => {
  const turns = new LoopTurns(2, RANKS);
  const called: number[] = [];
  for (const i of [0, 1, 2, 3]) turns.call('start', 'ann', () => called.push(i));
  expect(called).toEqual([0, 1]);
  await nextTurn();
  expect(called).toEqual([0, 1, 2, 3]);
});

test('counts the turns that it is given', async () => {
  const next: (() => void)[] = [];
  const turns = new LoopTurns(1, RANKS, (go) => void next.push(go));
  const passed: string[] = [];
  for (const name of ['a', 'b', 'c']) turns.call('start', 'ann', () => void passed.push(name));
  await nextTurn();
  expect(passed).toEqual(['a']);
  next.shift()?.();
  expect(passed).toEqual(['a', 'b']);
  next.shift()?.();
  expect(passed).toEqual(['a', 'b', 'c']);
});
