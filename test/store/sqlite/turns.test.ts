import { describe, expect, test } from 'vitest';
import { RANKS, type Rank } from '../../../src/store/sqlite/statements.ts';
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
    const { items, synced } = turns.take();
    expect(new Set(names(items))).toEqual(new Set(['start b0', 'person a0', 'record a0', 'record a1']));
    expect(synced).toBe(true);
    expect(turns.waiting).toBe(0);
    expect(turns.take().items).toEqual([]);
  });

  test('a few starts do not wait for a thousand records', () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 1_000);
    add(turns, 'start', 'b', 3);
    const { items: group } = turns.take();
    expect(countOf(group, 'start')).toBe(3);
    expect(group.length).toBeLessThanOrEqual(64);
  });

  test('has some records, also with many starts', () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 100);
    let records = 0;
    for (let commits = 0; commits < 2; commits++) {
      add(turns, 'start', 'b', 2_000);
      records += countOf(turns.take().items, 'record');
    }
    expect(records).toBe(100);
  });

  test('without starts a commit is large', () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 2_000);
    expect(turns.take().items.length).toBe(512);
  });

  test("a thousand writes of one owner do not delay another owner's first", () => {
    const turns = new Turns<Item>();
    add(turns, 'start', 'a', 2_000);
    add(turns, 'start', 'b', 1);
    add(turns, 'start', 'c', 2);
    const { items: group } = turns.take();
    expect(names(group).slice(0, 5)).toEqual(['start a0', 'start b0', 'start c0', 'start a1', 'start c1']);
  });

  test("an owner's own order is kept, over many commits", () => {
    const turns = new Turns<Item>();
    add(turns, 'record', 'a', 5_000);
    const order: string[] = [];
    while (turns.waiting > 0) order.push(...names(turns.take().items));
    expect(order).toEqual(Array.from({ length: 5_000 }, (_, i) => `record a${i}`));
  });

  test('a commit ends at a million characters, but has one write of every rank', () => {
    const turns = new Turns<Item>();
    for (const rank of ['start', 'person', 'record'] as const) add(turns, rank, 'a', 3, 900_000);
    const { items: group } = turns.take();
    expect(new Set(names(group))).toEqual(new Set(['start a0', 'start a1', 'person a0', 'record a0']));
  });

  test('has claims alone, which do not wait for the disk, or writes that do', () => {
    const turns = new Turns<Item>();
    for (const rank of RANKS) add(turns, rank, 'a', 1);
    expect(turns.take()).toMatchObject({ items: [{ name: 'claim a0' }], synced: false });
    const { items, synced } = turns.take();
    expect(new Set(names(items))).toEqual(new Set(['start a0', 'person a0', 'record a0']));
    expect(synced).toBe(true);
    expect(turns.waiting).toBe(0);
  });

  test('a flood of claims lets every second commit go to the others, and a flood of others to claims', () => {
    for (const [flood, few] of [
      ['claim', 'record'],
      ['record', 'claim'],
    ] as const) {
      const turns = new Turns<Item>();
      add(turns, few, 'b', 1);
      const groups: string[] = [];
      for (let commits = 0; commits < 4; commits++) {
        add(turns, flood, 'a', 1_000);
        if (commits === 2) add(turns, few, 'c', 1);
        const { items, synced } = turns.take();
        expect(new Set(items.map(({ name }) => name.startsWith('claim')))).toEqual(new Set([!synced]));
        groups.push(synced ? 'record' : 'claim');
      }
      const { length } = groups.filter((kind) => kind === few);
      expect(length).toBeGreaterThanOrEqual(2);
      expect(length).toBeLessThan(4);
    }
  });

  test('claims take turns by owner too', () => {
    const turns = new Turns<Item>();
    add(turns, 'claim', 'a', 2_000);
    add(turns, 'claim', 'b', 1);
    const { items } = turns.take();
    expect(names(items).slice(0, 3)).toEqual(['claim a0', 'claim b0', 'claim a1']);
    expect(items).toHaveLength(512);
  });
});
