import { expect, test } from 'vitest';
import { randomOf, SEED } from '../support/faults/random.ts';
import { chaos } from './chaos.ts';

const KILLS = 10;

test(`${KILLS} kills -9 of npm start lose nothing, double nothing and start nothing early (FAULT_SEED=${SEED})`, {
  timeout: 240_000,
}, async () => {
  const result = await chaos(KILLS, randomOf('chaos'));
  expect(result.broken).toEqual([]);
  expect(Object.values(result.kills).reduce((sum, count) => sum + count, 0)).toBe(KILLS);
  expect(Math.min(result.accepted, result.byHand, result.jobs / 10, result.runs / 10)).toBeGreaterThanOrEqual(
    1,
  );
});
