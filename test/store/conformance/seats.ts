import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { Seat } from '../../../src/domain/jobs/concurrency-key.ts';
import { aJobId, anId, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

const aSeat = (change: Partial<Seat> = {}): Seat => ({
  ...{ owner: anId(8), key: 'db', n: 0, jobId: aJobId(), due: dueKey(T0), number: T0 },
  ...change,
});

export function seatsConformance(subject: Subject): void {
  describe('seats of concurrency keys', () => {
    test('a seat is inserted once, and read as it was written', async () => {
      const store = subject();
      const seat = aSeat();
      expect(await store.readSeats(seat, CONSISTENT)).toEqual([]);
      expect(await store.writeSeat(undefined, seat)).toBe(true);
      expect(await store.writeSeat(undefined, { ...seat, number: T0 + 1 })).toBe(false);
      expect(await store.readSeats(seat, CONSISTENT)).toStrictEqual([seat]);
      expect(await store.readSeats(seat, { consistent: false })).toStrictEqual([seat]);
    });

    test.each([
      ['another number', { number: T0 + 1 }],
      ['an execution of another job', { jobId: 'job_other' }],
      ['another execution of the job', { due: dueKey(T0 + 1) }],
    ] as const)('a seat is not replaced by who has read %s', async (_what, other) => {
      const store = subject();
      const first = aSeat();
      await store.writeSeat(undefined, first);
      const second = { ...first, jobId: aJobId(), number: T0 + 9 };
      expect(await store.writeSeat({ ...first, ...other }, second)).toBe(false);
      expect(await store.readSeats(first, CONSISTENT)).toEqual([first]);
      expect(await store.writeSeat(first, second)).toBe(true);
      expect(await store.writeSeat(first, { ...second, number: T0 + 10 })).toBe(false);
      expect(await store.readSeats(first, CONSISTENT)).toStrictEqual([second]);
    });

    test('of many that have read the same one gets it, also if it was never taken', async () => {
      const store = subject();
      const seat = aSeat();
      for (const seen of [undefined, seat]) {
        if (seen) await store.writeSeat(undefined, seen);
        const { owner } = seen ?? aSeat();
        const tries = Array.from({ length: 10 }, () => aSeat({ owner }));
        const done = await Promise.all(tries.map((one) => store.writeSeat(seen, one)));
        expect(done.filter(Boolean)).toHaveLength(1);
        expect(await store.readSeats({ owner, key: 'db' }, CONSISTENT)).toEqual([tries[done.indexOf(true)]]);
      }
    });

    test('a seat that does not exist is not replaced', async () => {
      const store = subject();
      const seat = aSeat();
      expect(await store.writeSeat(seat, { ...seat, number: T0 + 1 })).toBe(false);
      expect(await store.readSeats(seat, CONSISTENT)).toEqual([]);
    });

    test('seats are listed by number, and each key and owner has its own', async () => {
      const store = subject();
      const seat = aSeat();
      const numbers = [0, 2, 9, 10, 99];
      for (const n of [10, 99, 0, 9, 2]) await store.writeSeat(undefined, { ...seat, n });
      await store.writeSeat(undefined, { ...seat, key: 'db2' });
      await store.writeSeat(undefined, { ...seat, key: 'a # key' });
      await store.writeSeat(undefined, { ...seat, owner: anId(8) });
      expect((await store.readSeats(seat, CONSISTENT)).map(({ n }) => n)).toEqual(numbers);
      expect(await store.readSeats({ ...seat, key: 'a # key' }, CONSISTENT)).toEqual([
        { ...seat, key: 'a # key' },
      ]);
    });
  });
}
