import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/domain/executions/row.ts';
import { aRow, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

export function leasesConformance(subject: Subject): void {
  const running = async (change: Partial<Row> = {}): Promise<Row> => {
    const row = aRow({ status: 'RUNNING', number: 7, leaseUntil: T0, ...change });
    await subject().insertRow(row);
    return row;
  };
  const read = ({ jobId, due }: Row) => subject().readRow(jobId, due, CONSISTENT);
  const NOT_RUNNING = ['QUEUED', 'RETRYING', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED'] as const;

  describe('a heartbeat', () => {
    test('lengthens the lease, and changes nothing else', async () => {
      const row = await running({ result: { a: 1 }, boot: 'b', was: 'QUEUED' });
      expect(await subject().extendLease(row, 7, T0 + 1, undefined)).toEqual({ cancelRequested: false });
      expect(await read(row)).toStrictEqual({ ...row, leaseUntil: T0 + 1 });
    });

    test.each([-1, 0])('never shortens the lease: %i ms later is refused', async (later) => {
      const row = await running();
      const progress = { fraction: 0.5, at: T0 };
      expect(await subject().extendLease(row, 7, T0 + later, progress)).toBeUndefined();
      expect(await read(row)).toStrictEqual(row);
    });

    test.each([6, 8, 0])('with the number %i instead of 7 is refused', async (number) => {
      const row = await running();
      expect(await subject().extendLease(row, number, T0 + 60_000, undefined)).toBeUndefined();
      expect(await read(row)).toStrictEqual(row);
    });

    test.each(NOT_RUNNING)('of a row that is %s is refused', async (status) => {
      const row = aRow({ status, number: 7 });
      await subject().insertRow(row);
      expect(await subject().extendLease(row, 7, T0 + 60_000, undefined)).toBeUndefined();
      expect(await read(row)).toStrictEqual(row);
    });

    test('of no row is refused, and creates nothing', async () => {
      const row = aRow();
      expect(await subject().extendLease(row, row.number, T0 + 60_000, undefined)).toBeUndefined();
      expect(await read(row)).toBeUndefined();
    });

    test('carries progress, which stays until the next progress', async () => {
      const row = await running();
      const half = { fraction: 0.5, text: 'half of "it" \n 半分', at: T0 };
      await subject().extendLease(row, 7, T0 + 1, half);
      expect((await read(row))?.progress).toStrictEqual(half);
      await subject().extendLease(row, 7, T0 + 2, undefined);
      expect((await read(row))?.progress).toStrictEqual(half);
      const most = { fraction: 0.875, at: T0 + 1 };
      await subject().extendLease(row, 7, T0 + 3, most);
      expect(await read(row)).toStrictEqual({ ...row, leaseUntil: T0 + 3, progress: most });
    });

    test('and a takeover that has read the lease before it: the takeover is refused', async () => {
      const row = await running();
      await subject().extendLease(row, 7, T0 + 1, undefined);
      expect(await subject().updateRow(row, { ...row, status: 'RETRYING' })).toBe(false);
      expect(await read(row)).toStrictEqual({ ...row, leaseUntil: T0 + 1 });
    });

    test('and an end that has read the lease before it: the end is written', async () => {
      const row = await running();
      await subject().extendLease(row, 7, T0 + 1, { fraction: 1, at: T0 });
      const { leaseUntil, ...rest } = row;
      const ended = { ...rest, status: 'SUCCEEDED' as const };
      expect(await subject().updateRow({ status: 'RUNNING', number: 7 }, ended)).toBe(true);
      expect(await read(row)).toStrictEqual(ended);
    });
  });

  describe('a request to cancel', () => {
    test('is told to the worker by its next heartbeat', async () => {
      const row = await running();
      expect(await subject().requestCancel(row, 7)).toBe(true);
      expect(await read(row)).toStrictEqual({ ...row, cancelRequested: true });
      expect(await subject().extendLease(row, 7, T0 + 1, undefined)).toEqual({ cancelRequested: true });
      expect(await subject().requestCancel(row, 7)).toBe(true);
    });

    test.each([6, 8, 0])('of the number %i instead of 7 is refused', async (number) => {
      const row = await running();
      expect(await subject().requestCancel(row, number)).toBe(false);
      expect(await read(row)).toStrictEqual(row);
    });

    test.each(NOT_RUNNING)('of a row that is %s is refused', async (status) => {
      const row = aRow({ status, number: 7 });
      await subject().insertRow(row);
      expect(await subject().requestCancel(row, 7)).toBe(false);
      expect(await read(row)).toStrictEqual(row);
    });

    test('of no row is refused, and creates nothing', async () => {
      const row = aRow();
      expect(await subject().requestCancel(row, row.number)).toBe(false);
      expect(await read(row)).toBeUndefined();
    });

    test.each(['QUEUED', 'RETRYING', 'SUCCEEDED', 'FAILED'] as const)(
      'survives a write of RUNNING as %s that has not seen it',
      async (status) => {
        const row = await running();
        await subject().requestCancel(row, 7);
        const { leaseUntil, ...rest } = row;
        expect(await subject().updateRow({ status: 'RUNNING', number: 7 }, { ...rest, status })).toBe(true);
        expect(await read(row)).toStrictEqual({ ...rest, status, cancelRequested: true });
      },
    );

    test('stays while the row is open, and a retry by hand removes it', async () => {
      const row = await running();
      await subject().requestCancel(row, 7);
      const { leaseUntil, ...rest } = row;
      const queued = { ...rest, status: 'QUEUED' as const };
      await subject().updateRow({ status: 'RUNNING', number: 7 }, queued);
      const cancelled = { ...rest, status: 'CANCELLED' as const };
      expect(await subject().updateRow(queued, cancelled)).toBe(true);
      expect((await read(row))?.cancelRequested).toBe(true);
      expect(await subject().updateRow(cancelled, queued)).toBe(true);
      expect(await read(row)).toStrictEqual(queued);
    });
  });
}
