import { expect, it } from 'vitest';
import { readOptions } from '../../bench/model/options.ts';
import { Tables } from '../../bench/model/tables.ts';

const open = (...flags: string[]) => new Tables(readOptions(flags).options);

it('a row that its table throttles uses no units of the index', () => {
  const tables = open('--warm', '64000');
  for (let owner = 0; owner < 1_500; owner++) tables.insertRow(7, owner, 0, false);
  expect(tables.executions.throttled).toBe(500);
  expect(tables.executions.given).toBe(1_000);
  expect(tables.executionsByUser.given).toBe(1_000);
});

it('a row that its index throttles uses no units of the table', () => {
  const tables = open('--warm', '64000');
  for (let job = 0; job < 1_500; job++) tables.insertRow(job, 7, 0, false);
  expect(tables.executionsByUser.throttled).toBe(500);
  expect(tables.executions.given).toBe(1_000);
});

it('the quota of the account throttles, whatever the number of partitions', () => {
  const tables = open('--warm', '64000', '--table-quota', '5000');
  for (let job = 0; job < 8_000; job++) tables.write(tables.jobs, job, 0, false);
  expect(tables.quotas.get(tables.jobs)?.throttled).toBe(3_000);
  expect(tables.jobs.given).toBe(5_000);
});
