import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { limitRepeats } from '../../src/runtime/repeated-faults.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function recorded() {
  const lines: Record<string, unknown>[] = [];
  const log = limitRepeats(createLog('debug', {}, (line) => lines.push(JSON.parse(line))));
  return { lines, log };
}

it('writes the first of a thousand equal lines at once, and after a minute one line with the count', () => {
  const { lines, log } = recorded();
  for (let i = 0; i < 1000; i++) log.warn('a heartbeat failed', { jobId: `job_${i}`, error: new Error('x') });
  expect(lines).toMatchObject([{ level: 'WARN', jobId: 'job_0' }]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(1)).toMatchObject([
    { level: 'WARN', message: 'a heartbeat failed', jobId: 'job_999', repeated: 999, withinSeconds: 60 },
  ]);
});

it('writes an equal line of a later minute as a new one, and no count of a single line', () => {
  const { lines, log } = recorded();
  log.error('the store does not answer');
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(1);
  log.error('the store does not answer');
  expect(lines).toHaveLength(2);
});

it('keeps lines with other errors, levels and messages apart, and never limits info', () => {
  const { lines, log } = recorded();
  for (const error of [new TypeError('a'), new RangeError('b'), 'ECONNREFUSED 127.0.0.1', 'ETIMEDOUT'])
    log.warn('a call failed', { error });
  log.error('a call failed', { error: new TypeError('a') });
  for (const requestId of ['a', 'a']) log.error('a job of a batch failed', { requestId });
  for (const userId of ['ann', 'ann']) log.warn('item rejected', { userId, executionId: 'e' });
  log.info('finished an attempt');
  log.info('finished an attempt');
  expect(lines).toHaveLength(11);
});
