import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { Head } from '../../../src/domain/jobs/job.ts';
import { aHead, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };
const lockOf = (number: number) => ({ due: dueKey(T0), number });

/** The lock of a claim that has read this head. */
const taking = (seen: Head, number: number, coveredUntil = seen.coveredUntil) => ({
  seen,
  lock: lockOf(number),
  coveredUntil,
});

export function locksConformance(subject: Subject): void {
  const inserted = async (change: Partial<Head> = {}): Promise<Head> => {
    const head = aHead(change);
    await subject().insertHead(head);
    return head;
  };
  const read = (head: Head) => subject().readHead(head.jobId, CONSISTENT);

  describe('the lock of a job', () => {
    test('is taken, and changes nothing else', async () => {
      const head = await inserted({ coveredUntil: '1' });
      expect(await subject().takeLock(taking(head, 7))).toBe(true);
      expect(await read(head)).toStrictEqual({ ...head, lock: lockOf(7) });
    });

    test('is taken again by who has read it', async () => {
      const head = await inserted({ lock: lockOf(7) });
      const lock = { due: dueKey(T0 + 60_000), number: 8 };
      expect(await subject().takeLock({ ...taking(head, 8), lock })).toBe(true);
      expect(await read(head)).toStrictEqual({ ...head, lock });
    });

    test.each([
      ['no lock', undefined],
      ['an earlier lock', lockOf(6)],
      ['a later lock', lockOf(8)],
    ])('is refused to a claim that has read %s', async (_what, lock) => {
      const head = await inserted({ lock: lockOf(7) });
      expect(await subject().takeLock(taking({ ...head, lock }, 9))).toBe(false);
      expect(await read(head)).toStrictEqual(head);
    });

    test('is refused to a claim that has read a lock where there is none', async () => {
      const head = await inserted();
      expect(await subject().takeLock(taking({ ...head, lock: lockOf(7) }, 8))).toBe(false);
      expect(await read(head)).toStrictEqual(head);
    });

    test.each([4, 6])('is refused to a claim that has read version %i instead of 5', async (version) => {
      const head = await inserted({ version: 5, lock: lockOf(7) });
      expect(await subject().takeLock(taking({ ...head, version }, 8))).toBe(false);
      expect(await read(head)).toStrictEqual(head);
    });

    test('is refused after a change of the job, and the change of who has read an older lock is not', async () => {
      const head = await inserted();
      expect(await subject().takeLock(taking(head, 7))).toBe(true);
      expect(await subject().updateHead(head, { version: 2, status: 'paused' })).toBe(true);
      expect(await subject().takeLock(taking({ ...head, lock: lockOf(7) }, 8))).toBe(false);
      expect(await read(head)).toStrictEqual({ ...head, version: 2, status: 'paused', lock: lockOf(7) });
    });

    test('of a job that does not exist is refused, and creates nothing', async () => {
      const head = aHead();
      expect(await subject().takeLock(taking(head, 7))).toBe(false);
      expect(await read(head)).toBeUndefined();
    });

    test('carries the latest covered occurrence', async () => {
      const head = await inserted();
      expect(await subject().takeLock(taking(head, 7, dueKey(T0)))).toBe(true);
      const covered = { ...head, lock: lockOf(7), coveredUntil: dueKey(T0) };
      expect(await read(head)).toStrictEqual(covered);
      expect(await subject().takeLock(taking(covered, 8))).toBe(true);
      expect(await read(head)).toStrictEqual({ ...covered, lock: lockOf(8) });
      const again = { ...covered, lock: lockOf(8) };
      expect(await subject().takeLock(taking(again, 9, dueKey(T0 + 60_000)))).toBe(true);
      expect((await read(head))?.coveredUntil).toBe(dueKey(T0 + 60_000));
    });

    test('of many claims that have read the same goes to one', async () => {
      const head = await inserted({ lock: lockOf(7) });
      const dues = Array.from({ length: 12 }, (_, i) => dueKey(T0 + i));
      const done = await Promise.all(
        dues.map((due) => subject().takeLock({ ...taking(head, 8), lock: { due, number: 8 } })),
      );
      expect(done.filter(Boolean)).toHaveLength(1);
      expect((await read(head))?.lock).toEqual({ due: dues[done.indexOf(true)], number: 8 });
    });

    test('of each of many jobs is compared with its own', async () => {
      const heads = await Promise.all(
        Array.from({ length: 60 }, (_, i) => inserted(i % 2 ? { lock: lockOf(i) } : {})),
      );
      const isStale = (i: number) => i % 10 === 3;
      const done = await Promise.all(
        heads.map((head, i) =>
          subject().takeLock(taking(isStale(i) ? { ...head, version: 9 } : head, 100 + i)),
        ),
      );
      expect(done).toEqual(heads.map((_, i) => !isStale(i)));
      const after = await Promise.all(heads.map(read));
      expect(after.map((head) => head?.lock)).toEqual(
        heads.map((head, i) => (isStale(i) ? head.lock : lockOf(100 + i))),
      );
    });
  });
}
