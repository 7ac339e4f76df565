import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { aHead, aHold, aJobId, anId, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

export function headsConformance(subject: Subject): void {
  describe('heads', () => {
    test('a head is read as it was written, including Unicode', async () => {
      const store = subject();
      const head = aHead({
        name: 'Übersicht 日本語 🕐 "quoted" \u0000 \n',
        tags: { équipe: 'facturation ☂', empty: '' },
        hold: aHold(),
        rowsUntil: dueKey(T0),
        note: { due: dueKey(T0), status: 'SKIPPED', reason: 'still running', revision: 'r', at: T0 },
      });
      expect(await store.insertHead(head)).toBe(true);
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
      expect(await store.readHead(head.jobId, { consistent: false })).toEqual(head);
    });

    test('undefined values are not stored, and empty tags stay empty', async () => {
      const store = subject();
      const head = aHead({ name: undefined, hold: undefined, tags: {} });
      await store.insertHead(head);
      const read = await store.readHead(head.jobId, CONSISTENT);
      const { name, hold, ...rest } = head;
      expect(read).toStrictEqual(rest);
    });

    test('a job that does not exist is undefined', async () => {
      expect(await subject().readHead(aJobId(), CONSISTENT)).toBeUndefined();
    });

    test('many concurrent reads return the last write of each head', async () => {
      const store = subject();
      const heads = [aHead(), aHead(), aHead()];
      for (const head of heads) await store.insertHead(head);
      await store.updateHead(heads[0] ?? aHead(), { stamp: 'next' });
      const ids = [...heads.map(({ jobId }) => jobId), aJobId()];
      const found = await Promise.all(ids.map((jobId) => store.readHead(jobId, CONSISTENT)));
      expect(found.map((head) => head?.stamp)).toEqual(['next', heads[1]?.stamp, heads[2]?.stamp, undefined]);
    });

    test('the second insert is refused and the first stays', async () => {
      const store = subject();
      const first = aHead();
      expect(await store.insertHead(first)).toBe(true);
      expect(await store.insertHead({ ...first, name: 'another', stamp: anId(12) })).toBe(false);
      expect(await store.readHead(first.jobId, CONSISTENT)).toEqual(first);
    });

    test('of many concurrent inserts exactly one succeeds', async () => {
      const store = subject();
      const head = aHead();
      const tries = Array.from({ length: 8 }, () => ({ ...head, stamp: anId(12) }));
      const done = await Promise.all(tries.map((one) => store.insertHead(one)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(tries[done.indexOf(true)]);
    });

    test('an update changes its fields, removes its undefined fields, and keeps the others', async () => {
      const store = subject();
      const head = aHead({ hold: aHold(), name: 'old', rowsUntil: dueKey(T0) });
      await store.insertHead(head);
      const stamp = anId(12);
      const hold = aHold({ cancelRequested: true });
      const change = { stamp, status: 'paused' as const, name: undefined, hold, tags: { a: 'b' } };
      expect(await store.updateHead(head, change)).toBe(true);
      const { name, ...rest } = head;
      expect(await store.readHead(head.jobId, CONSISTENT)).toStrictEqual({
        ...rest,
        stamp,
        status: 'paused',
        hold,
        tags: { a: 'b' },
      });
    });

    test('an update may empty the tags and remove the hold', async () => {
      const store = subject();
      const head = aHead({ hold: aHold(), tags: { a: 'b' } });
      await store.insertHead(head);
      const stamp = anId(12);
      await store.updateHead(head, { stamp, hold: undefined, tags: {} });
      const { hold, ...rest } = head;
      expect(await store.readHead(head.jobId, CONSISTENT)).toStrictEqual({ ...rest, stamp, tags: {} });
    });

    test('an update of the stamp alone changes the stamp', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      expect(await store.updateHead(head, { stamp: 'next' })).toBe(true);
      expect(await store.readHead(head.jobId, CONSISTENT)).toStrictEqual({ ...head, stamp: 'next' });
    });

    test('an update of an older stamp is refused and changes nothing', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      expect(
        await store.updateHead({ ...head, stamp: 'older' }, { stamp: anId(12), status: 'cancelled' }),
      ).toBe(false);
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
    });

    test('an update never creates', async () => {
      const store = subject();
      const head = aHead();
      expect(await store.updateHead(head, { stamp: anId(12), status: 'paused' })).toBe(false);
      expect(await store.readHead(head.jobId, CONSISTENT)).toBeUndefined();
    });

    test('of many concurrent updates of one stamp exactly one succeeds', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      const stamps = Array.from({ length: 12 }, () => anId(12));
      const done = await Promise.all(
        stamps.map((stamp) => store.updateHead(head, { stamp, hold: aHold({ token: stamp }) })),
      );
      expect(done.filter(Boolean)).toHaveLength(1);
      const winner = stamps[done.indexOf(true)];
      const after = await store.readHead(head.jobId, CONSISTENT);
      expect([after?.stamp, after?.hold?.token]).toEqual([winner, winner]);
    });

    test('of many concurrent updates of many heads each is compared with its own stamp', async () => {
      const store = subject();
      const heads = Array.from({ length: 130 }, () => aHead());
      await Promise.all(heads.map((head) => store.insertHead(head)));
      const isStale = (i: number) => i % 10 === 3;
      const done = await Promise.all(
        heads.map((head, i) =>
          store.updateHead(isStale(i) ? { ...head, stamp: 'older' } : head, {
            stamp: `new${i}`,
            hold: aHold(),
          }),
        ),
      );
      expect(done).toEqual(heads.map((_, i) => !isStale(i)));
      const read = await store.readHeads(
        heads.map(({ jobId }) => jobId),
        { consistent: true },
      );
      const stamps = new Map(read.map(({ jobId, stamp }) => [jobId, stamp]));
      expect(heads.map(({ jobId }) => stamps.get(jobId))).toEqual(
        heads.map(({ stamp }, i) => (isStale(i) ? stamp : `new${i}`)),
      );
    });

    test('many heads are read, each once, without missing ones', async () => {
      const store = subject();
      const heads = Array.from({ length: 230 }, () => aHead());
      await Promise.all(heads.map((head) => store.insertHead(head)));
      const ids = heads.map((head) => head.jobId);
      const read = await store.readHeads([...ids, aJobId(), ...ids.slice(0, 5)], CONSISTENT);
      expect(read).toHaveLength(230);
      expect(new Map(read.map((head) => [head.jobId, head]))).toEqual(
        new Map(heads.map((head) => [head.jobId, head])),
      );
      expect(await store.readHeads([], CONSISTENT)).toEqual([]);
    });

    test('neither written nor read values are changed by later writes', async () => {
      const store = subject();
      const tags: Record<string, string> = { a: 'b' };
      const head = aHead({ tags });
      await store.insertHead(head);
      tags.a = 'changed by the caller';
      const before = await store.readHead(head.jobId, CONSISTENT);
      expect(before?.tags).toEqual({ a: 'b' });
      await store.updateHead(head, { stamp: 'next', tags: { a: 'c' } });
      expect(before?.tags).toEqual({ a: 'b' });
    });
  });
}
