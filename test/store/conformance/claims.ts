import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { Row } from '../../../src/domain/executions/row.ts';
import type { Seat } from '../../../src/domain/jobs/concurrency-key.ts';
import type { Head } from '../../../src/domain/jobs/job.ts';
import type { ClaimAnswer, ClaimWrites } from '../../../src/store/store.ts';
import { aHead, anId, aRow, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };
const NUMBER = T0 + 9;

/**
 * `together`: a claim is one transaction, and a refused one leaves nothing. `step by step`: a claim whose seat or lock is refused
 * leaves its row open.
 */
export type Claiming = 'together' | 'step by step';

/** What a claim of the job's execution due at `T0` writes. */
function aClaim(head: Head, seen: Row | undefined, seat?: ClaimWrites['seat']): ClaimWrites {
  const { jobId, userId } = head;
  const claimed = { status: 'RUNNING', number: NUMBER, leaseUntil: T0 + 30_000, claimId: anId(12) } as const;
  const row = seen ? { ...seen, was: 'QUEUED' as const, ...claimed } : aRow({ jobId, userId, ...claimed });
  const lock = { due: row.due, number: NUMBER };
  return { seen, row, seat, lock: { seen: head, lock, coveredUntil: head.coveredUntil } };
}

const aSeat = (change: Partial<Seat> = {}): Seat => ({
  ...{ owner: anId(8), key: 'db', n: 0, jobId: 'job_before', due: dueKey(T0 - 1), number: T0 },
  ...change,
});

export function claimsConformance(subject: Subject, claiming: Claiming): void {
  const insertedHead = async (change: Partial<Head> = {}): Promise<Head> => {
    const head = aHead(change);
    await subject().insertHead(head);
    return head;
  };
  const insertedRow = async ({ jobId, userId }: Head, change: Partial<Row> = {}): Promise<Row> => {
    const row = aRow({ jobId, userId, status: 'QUEUED', number: 3, ...change });
    await subject().insertRow(row);
    return row;
  };
  const seatTaken = async (): Promise<{ seen: Seat; seat: Seat }> => {
    const seen = aSeat();
    await subject().writeSeat(undefined, seen);
    return { seen, seat: { ...seen, jobId: 'job_mine', due: dueKey(T0), number: NUMBER } };
  };
  const state = async ({ row, seat, lock }: ClaimWrites) => ({
    row: await subject().readRow(row.jobId, row.due, CONSISTENT),
    seats: seat && (await subject().readSeats(seat.seat, CONSISTENT)),
    lock: lock && (await subject().readHead(row.jobId, CONSISTENT))?.lock,
  });

  /** The claim is refused at its seat or its lock, and nothing of that is written. */
  async function isRefusedAfterItsRow(writes: ClaimWrites, before: Awaited<ReturnType<typeof state>>) {
    const answer: ClaimAnswer = claiming === 'together' ? 'refused' : 'opened';
    expect(await subject().claim(writes)).toBe(answer);
    const after = await state(writes);
    expect(after.row).toEqual(claiming === 'together' ? before.row : writes.row);
    return after;
  }

  describe('a claim', () => {
    // with one attempt a claim of SQLite waits for the disk
    test.each([1, 3])('opens an absent row and takes the lock, with %i attempts', async (maxAttempts) => {
      const head = await insertedHead();
      const writes = aClaim(head, undefined);
      const claim = { ...writes, row: { ...writes.row, maxAttempts } };
      expect(await subject().claim(claim)).toBe('done');
      expect(await state(claim)).toStrictEqual({
        row: claim.row,
        seats: undefined,
        lock: { due: claim.row.due, number: NUMBER },
      });
    });

    test('opens the row that it has seen, and takes seat and lock', async () => {
      const head = await insertedHead({ lock: { due: dueKey(T0 - 1), number: 2 }, coveredUntil: '1' });
      const seat = await seatTaken();
      const writes = aClaim(head, await insertedRow(head), seat);
      expect(await subject().claim(writes)).toBe('done');
      const lock = { due: writes.row.due, number: NUMBER };
      expect(await state(writes)).toStrictEqual({ row: writes.row, seats: [seat.seat], lock });
      expect(await subject().readHead(head.jobId, CONSISTENT)).toStrictEqual({ ...head, lock });
    });

    test('takes a seat that was never taken', async () => {
      const head = await insertedHead();
      const seat = aSeat({ jobId: head.jobId, number: NUMBER });
      const writes = aClaim(head, undefined, { seen: undefined, seat });
      expect(await subject().claim(writes)).toBe('done');
      expect((await state(writes)).seats).toStrictEqual([seat]);
    });

    test('without a lock writes the row, and leaves the head', async () => {
      const head = await insertedHead({ overlap: 'allow' });
      const writes = { ...aClaim(head, undefined), lock: undefined };
      expect(await subject().claim(writes)).toBe('done');
      expect((await state(writes)).row).toStrictEqual(writes.row);
      expect(await subject().readHead(head.jobId, CONSISTENT)).toStrictEqual(head);
    });

    test.each([
      ['a row where it has seen none', undefined],
      ['another number', { status: 'QUEUED', number: 2 }],
      ['another status', { status: 'RETRYING', number: 3 }],
      ['another lease', { status: 'QUEUED', number: 3, leaseUntil: T0 - 1 }],
    ] as const)('that finds %s is refused, and writes nothing', async (_what, seen) => {
      const head = await insertedHead();
      const isLost = seen !== undefined && 'leaseUntil' in seen;
      const row = await insertedRow(head, isLost ? { status: 'RUNNING', leaseUntil: T0 } : {});
      const seat = await seatTaken();
      const claim = aClaim(head, row, seat);
      const writes = { ...claim, seen: isLost ? { ...seen, status: 'RUNNING' as const } : seen };
      expect(await subject().claim(writes)).toBe('refused');
      expect(await state(writes)).toStrictEqual({ row, seats: [seat.seen], lock: undefined });
    });

    test('of a row that is gone is refused, and writes nothing', async () => {
      const head = await insertedHead();
      const writes = { ...aClaim(head, undefined), seen: { status: 'QUEUED', number: 3 } as const };
      expect(await subject().claim(writes)).toBe('refused');
      expect(await state(writes)).toStrictEqual({ row: undefined, seats: undefined, lock: undefined });
    });

    test.each([
      ['the job was changed', { version: 2 }],
      ['another has the lock', { lock: { due: dueKey(T0 - 1), number: 5 } }],
    ])('is refused if %s', async (_what, change) => {
      const head = aHead();
      await insertedHead({ ...head, ...change });
      for (const seen of [undefined, await insertedRow(head, { due: dueKey(T0 + 1) })]) {
        const writes = aClaim(head, seen);
        const before = await state(writes);
        expect((await isRefusedAfterItsRow(writes, before)).lock).toEqual(before.lock);
      }
    });

    test('is refused if another has the seat, and does not take the lock', async () => {
      const head = await insertedHead();
      const { seen, seat } = await seatTaken();
      const writes = aClaim(head, await insertedRow(head), { seen: { ...seen, number: 1 }, seat });
      const after = await isRefusedAfterItsRow(writes, await state(writes));
      expect(after).toMatchObject({ seats: [seen] });
      expect(after.lock).toBeUndefined();
    });

    test.each([1, 3])('of many for one job gets the lock alone, with %i attempts', async (maxAttempts) => {
      const head = await insertedHead();
      const claims = Array.from({ length: 12 }, (_, i) => {
        const claim = aClaim(head, undefined);
        const row = { ...claim.row, due: dueKey(T0 + i), maxAttempts };
        return {
          ...claim,
          row,
          lock: claim.lock && { ...claim.lock, lock: { due: row.due, number: NUMBER } },
        };
      });
      const answers = await Promise.all(claims.map((one) => subject().claim(one)));
      expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
      const winner = claims[answers.indexOf('done')];
      const after = await subject().readHead(head.jobId, CONSISTENT);
      expect(after?.lock?.due).toBe(winner?.row.due);
      const rows = await subject().readRows(
        claims.map(({ row }) => row),
        CONSISTENT,
      );
      expect(rows).toHaveLength(claiming === 'together' ? 1 : claims.length);
    });

    test('of many for one row opens it alone', async () => {
      const head = await insertedHead({ overlap: 'allow' });
      const claims = Array.from({ length: 12 }, () => ({ ...aClaim(head, undefined), lock: undefined }));
      const answers = await Promise.all(claims.map((one) => subject().claim(one)));
      expect(answers.filter((answer) => answer === 'done')).toHaveLength(1);
      const [first] = claims;
      const row = first && (await state(first)).row;
      expect(row?.claimId).toBe(claims[answers.indexOf('done')]?.row.claimId);
    });

    test('of many jobs at once: each is done or refused alone', async () => {
      const heads = await Promise.all(Array.from({ length: 60 }, () => insertedHead()));
      const isStale = (i: number) => i % 7 === 3;
      const claims = heads.map((head, i) => aClaim(isStale(i) ? { ...head, version: 9 } : head, undefined));
      const answers = await Promise.all(claims.map((one) => subject().claim(one)));
      const refused = claiming === 'together' ? 'refused' : 'opened';
      expect(answers).toEqual(heads.map((_, i) => (isStale(i) ? refused : 'done')));
      const locks = await Promise.all(claims.map(async (claim) => (await state(claim)).lock?.number));
      expect(locks).toEqual(heads.map((_, i) => (isStale(i) ? undefined : NUMBER)));
    });
  });
}
