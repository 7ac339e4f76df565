import { describe, expect, test } from 'vitest';
import type { Rank } from '../../../src/store/sqlite/statements.ts';
import { Turns } from '../../../src/store/sqlite/turns.ts';

interface Item {
  readonly name: string;
  readonly size: number;
}

function add(turns: Turns<Item>, rank: Rank, owner: string, count: number, size = 10): void {
  for (let i = 0; i < count; i++) turns.add(rank, owner, { name: `${rank} ${owner}${i}`, size });
}

const names = (group: readonly Item[]): string[] => group.map(({ name }) => name);
const countOf = (group: readonly Item[], start: string): number =>
  group.filter(({ name }) => name.startsWith(start)).length;

describe('the next commit', () => {
  test('has all writes if there are few', () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 2);
    add(turns, 'start', 'b', 1);
    add(turns, 'person', 'a', 1);
    expect(new Set(names(turns.take()))).toEqual(
      new Set(['start b0', 'person a0', 'record a0', 'record a1']),
    );
    expect(turns.waiting).toBe(0);
    expect(turns.take()).toEqual([]);
  });

  test('a few starts do not wait for a thousand records', () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 1_000);
    add(turns, 'start', 'b', 3);
    const group = turns.take();
    expect(countOf(group, 'start')).toBe(3);
    expect(group.length).toBeLessThanOrEqual(64);
  });

  test('has some records, also with many starts', () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 100);
    let records = 0;
    for (let commits = 0; commits < 2; commits++) {
      add(turns, 'start', 'b', 2_000);
      records += countOf(turns.take(), 'record');
    }
    expect(records).toBe(100);
  });

  test('without starts a commit is large', () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 2_000);
    expect(turns.take().length).toBe(512);
  });

  test("a thousand writes of one owner do not delay another owner's first", () => {
    const turns = new Turns<Item>();
    add(turns, 'start', 'a', 2_000);
    add(turns, 'start', 'b', 1);
    add(turns, 'start', 'c', 2);
    const group = turns.take();
    expect(names(group).slice(0, 5)).toEqual(['start a0', 'start b0', 'start c0', 'start a1', 'start c1']);
  });

  test("an owner's own order is kept, over many commits", () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 5_000);
    const order: string[] = [];
    while (turns.waiting > 0) order.push(...names(turns.take()));
    expect(order).toEqual(Array.from({ length: 5_000 }, (_, i) => `record a${i}`));
  });

  test('a commit ends at a million characters, but has one write of every rank', () => {
    const turns = new Turns<Item>();
    for (const rank of ['start', 'person', 'record'] as const) add(turns, rank, 'a', 3, 900_000);
    const group = turns.take();
    expect(new Set(names(group))).toEqual(new Set(['start a0', 'start a1', 'person a0', 'record a0']));
  });
});
