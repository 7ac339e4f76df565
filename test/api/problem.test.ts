import { expect, test } from 'vitest';
import { problemOf } from '../../src/api/http/problem.ts';
import { StoreFault } from '../../src/store/sqlite/faults.ts';

test('a full disk of the embedded store is 503 with Retry-After, and the answer names no file', () => {
  const { problem, headers, unexpected } = problemOf(new StoreFault('full', '/secret/punctual.db'), 'r1');
  expect(problem.status).toBe(503);
  expect(headers).toEqual({ 'retry-after': '1' });
  expect(JSON.stringify(problem)).not.toContain('/secret');
  // The log therefore has the message with the file and the remedy.
  expect(unexpected).toBe(true);
});
