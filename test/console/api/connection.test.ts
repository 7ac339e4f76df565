import { describe, expect, it } from 'vitest';
import { connectionAfter, connectionOf } from '../../../console/api/connection-after.ts';
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

describe('the connection of a page with several reads', () => {
  const good = (dataUpdatedAt: number) => ({ error: null, dataUpdatedAt });
  const bad = (error: unknown, dataUpdatedAt: number) => ({ error, dataUpdatedAt });
  const offline = new PunctualNetworkError('no response', 1, undefined);

  it('is online if no read fails for the connection', () => {
    expect(connectionOf([])).toEqual({ state: 'online', dataAt: undefined });
    expect(connectionOf([good(5), bad(refused(404), 0)])).toEqual({ state: 'online', dataAt: undefined });
  });

  it('is that of the failing read, although another one succeeds', () => {
    expect(connectionOf([bad(refused(429), 5), good(9)])).toEqual({ state: 'slow', dataAt: 5 });
    expect(connectionOf([bad(refused(429), 5), bad(offline, 3), bad(offline, 0)])).toEqual({
      state: 'offline',
      dataAt: 3,
    });
  });
});
