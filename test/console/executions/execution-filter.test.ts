// The filter of the list of executions, as a request and as a command.
import { describe, expect, it } from 'vitest';
import {
  beginOf,
  executionsQuery,
  jobIdOf,
  listCommand,
  listRequest,
  matchesRest,
  rangeOf,
} from '../../../console/screens/executions/execution-filter.ts';

const NOW = Date.parse('2026-12-02T00:00:00Z');

describe('the time range', () => {
  it('moves with the time, and a begin in the filter wins', () => {
    expect(beginOf({}, '24h', NOW)).toBe('2026-12-01T00:00:00.000Z');
    expect(beginOf({ from: '2026-11-01T00:00:00Z' }, '24h', NOW)).toBe('2026-11-01T00:00:00Z');
    expect(beginOf({}, 'any', NOW)).toBeUndefined();
  });

  it('is any time if the address has something else', () => {
    expect(rangeOf('1h')).toBe('1h');
    for (const text of [null, '', '2h', 'toString']) expect(rangeOf(text)).toBe('any');
  });
});

describe('the query', () => {
  it('has what the API filters, and not the job', () => {
    const filter = { status: 'failed', job: 'job_1', workerId: 'w', owner: 'o', to: '2026-12-01T00:00:00Z' };
    expect(executionsQuery(filter, 'any', NOW)).toEqual({
      ...{ status: 'failed', workerId: 'w', owner: 'o', to: '2026-12-01T00:00:00Z' },
    });
  });

  it('is that of the job if there is one, unless a worker is asked for', () => {
    expect(listRequest({ job: 'job_1', status: 'failed' }, '24h', NOW)).toEqual({
      path: '/jobs/job_1/executions',
      query: { status: 'failed', from: '2026-12-01T00:00:00.000Z' },
    });
    expect(listRequest({ job: 'job_1', workerId: 'w' }, 'any', NOW).path).toBe('/executions');
  });

  it('finds the job by its id or its name', () => {
    const jobs = [{ id: 'job_1', name: 'report' }, { id: 'job_2' }];
    expect(jobIdOf({ job: 'report' }, jobs)).toBe('job_1');
    expect(jobIdOf({ job: 'job_2' }, jobs)).toBe('job_2');
    expect(jobIdOf({ job: 'unknown' }, jobs)).toBe('unknown');
    expect(jobIdOf({}, jobs)).toBeUndefined();
  });

  it('is narrowed in the page by what the server does not filter', () => {
    expect(matchesRest({ job: 'job_1' }, { jobId: 'job_2' })).toBe(false);
    expect(matchesRest({ owner: 'me' }, { jobId: 'job_1', owner: 'you' })).toBe(false);
    expect(matchesRest({ job: 'job_1', owner: 'me' }, { jobId: 'job_1', owner: 'me' })).toBe(true);
  });
});

it('is a command of the command line', () => {
  expect(listCommand({}, 'any')).toBe('punctual executions');
  expect(listCommand({ status: 'failed', workerId: 'w', owner: 'o' }, '7d')).toBe(
    'punctual executions --status failed --from 7d --worker w --owner o',
  );
  expect(listCommand({ job: 'job_1', to: '2026-12-01' }, '1h')).toBe(
    'punctual logs job_1 --from 1h --to 2026-12-01',
  );
});
