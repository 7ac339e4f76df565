// The geometry of heat maps of a day, a week or an hour.
import { describe, expect, it } from 'vitest';
import {
  countsOf,
  endOf,
  fullest,
  gridCells,
  gridSentence,
} from '../../../console/marks/heat-grid-geometry.ts';
import { levelOf, logPosition, rootPosition } from '../../../console/marks/scales.ts';

const MINUTE = 60_000;
/** 24 hours in cells of 5 minutes. */
const DAY = { from: 0, rows: 24, columns: 12, cellMs: 5 * MINUTE };

describe('a heat map', () => {
  it('counts an instant in the cell that begins with it, and none outside', () => {
    const counts = countsOf(DAY, [-1, 0, 5 * MINUTE - 1, 5 * MINUTE, endOf(DAY) - 1, endOf(DAY)]);
    expect(counts).toHaveLength(288);
    expect([counts[0], counts[1], counts[287]]).toEqual([2, 1, 1]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(4);
  });

  it('places cells row by row and levels them on a square-root scale', () => {
    const counts = new Array<number>(288).fill(0);
    counts[13] = 1;
    counts[14] = 100;
    const cells = gridCells(DAY, counts);
    expect(cells[13]).toMatchObject({ row: 1, column: 1, from: 65 * MINUTE, level: 1 });
    expect(cells[14]?.level).toBe(5);
    expect(fullest(cells)?.count).toBe(100);
  });

  it('says how many, where most are, and the base line of jobs that run all the time', () => {
    const counts = countsOf(DAY, [0, 1, 90 * MINUTE]);
    const text = (at: number) => new Date(at).toISOString().slice(11, 16);
    expect(gridSentence(gridCells(DAY, counts), text, 300)).toBe(
      '3 runs, at most 2 from 00:00 to 00:05, and about 300 in each cell by jobs that run more often than once a minute',
    );
    expect(gridSentence(gridCells(DAY, countsOf(DAY, [])), text)).toBe('0 runs');
  });
});

describe('the scales', () => {
  it('have their ends at 0 and 1, and clamp values outside', () => {
    expect([1, 1000, 0, 10 ** 9].map((ms) => logPosition(ms, 1, 1000))).toEqual([0, 1, 0, 1]);
    expect([0, 25, 100, 200].map((n) => rootPosition(n, 100))).toEqual([0, 0.5, 1, 1]);
    expect(rootPosition(5, 0)).toBe(0);
    expect([0, 1, 100].map((n) => levelOf(n, 100))).toEqual([0, 1, 5]);
  });
});
