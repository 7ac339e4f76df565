import { describe, expect, it } from 'vitest';
import { connectionAfter } from '../../../console/api/connection-after.ts';
import { PunctualApiError, PunctualNetworkError } from '../../../src/client/errors.ts';

const refused = (status: number, limit?: { name: string; value: number }) =>
  new PunctualApiError('refused', {
    ...{ status, attempts: 1 },
    problem: {
      ...{ type: 'about:blank', title: 'refused', status, detail: 'refused', requestId: 'r' },
      ...(limit && { limit }),
    },
  });

describe('the connection after an error', () => {
  it('is slow if the server asks for fewer requests, and offline without a response', () => {
    expect(connectionAfter(refused(503))).toBe('slow');
    expect(connectionAfter(refused(429))).toBe('slow');
    expect(connectionAfter(new PunctualNetworkError('no response', 1, undefined))).toBe('offline');
    expect(connectionAfter(refused(404))).toBeUndefined();
  });

  it('does not change when a limit of the user is reached', () => {
    expect(connectionAfter(refused(429, { name: 'jobs', value: 10 }))).toBeUndefined();
  });
});
