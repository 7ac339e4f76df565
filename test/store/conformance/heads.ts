import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { aHead, aJobId, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

export function headsConformance(subject: Subject): void {
  describe('heads', () => {
    test('a head is read as it was written, including Unicode', async () => {
      const store = subject();
      const head = aHead({
        name: 'Übersicht 日本語 🕐 "quoted" \u0000 \n',
        tags: { équipe: 'facturation ☂', empty: '' },
        lock: { due: dueKey(T0), number: T0 + 5 },
        coveredUntil: dueKey(T0),
      });
      expect(await store.insertHead(head)).toBe(true);
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
      expect(await store.readHead(head.jobId, { consistent: false })).toEqual(head);
    });

    test('undefined values are not stored, and empty tags stay empty', async () => {
      const store = subject();
      const head = aHead({ name: undefined, lock: undefined, coveredUntil: undefined, tags: {} });
      await store.insertHead(head);
      const read = await store.readHead(head.jobId, CONSISTENT);
      const { name, lock, coveredUntil, ...rest } = head;
      expect(read).toStrictEqual(rest);
    });

    test('a job that does not exist is undefined', async () => {
      expect(await subject().readHead(aJobId(), CONSISTENT)).toBeUndefined();
    });

    test('many concurrent reads return the last write of each head', async () => {
      const store = subject();
      const heads = [aHead(), aHead(), aHead()];
      for (const head of heads) await store.insertHead(head);
      await store.updateHead(heads[0] ?? aHead(), { version: 2 });
      const ids = [...heads.map(({ jobId }) => jobId), aJobId()];
      const found = await Promise.all(ids.map((jobId) => store.readHead(jobId, CONSISTENT)));
      expect(found.map((head) => head?.version)).toEqual([2, 1, 1, undefined]);
    });

    test('a head is kept for longer on condition of its version, and nothing else of it changes', async () => {
      const store = subject();
      const head = aHead({ status: 'cancelled' });
      await store.insertHead(head);
      expect(await store.keepHead({ ...head, version: 2 }, T0 + 1)).toBe(false);
      expect(await store.keepHead(aHead(), T0 + 1)).toBe(false);
      expect(await store.keepHead(head, T0 + 1)).toBe(true);
      await store.expireBeside(head, T0 + 1);
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
    });

    test('the second insert is refused and the first stays', async () => {
      const store = subject();
      const first = aHead();
      expect(await store.insertHead(first)).toBe(true);
      expect(await store.insertHead({ ...first, name: 'another', version: 7 })).toBe(false);
      expect(await store.readHead(first.jobId, CONSISTENT)).toEqual(first);
    });

    test('of many concurrent inserts exactly one succeeds', async () => {
      const store = subject();
      const head = aHead();
      const tries = Array.from({ length: 8 }, (_, i) => ({ ...head, name: `name ${i}` }));
      const done = await Promise.all(tries.map((one) => store.insertHead(one)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(tries[done.indexOf(true)]);
    });

    test('an update changes its fields, removes its undefined fields, and keeps the others', async () => {
      const store = subject();
      const lock = { due: dueKey(T0), number: T0 };
      const head = aHead({ name: 'old', lock, coveredUntil: dueKey(T0) });
      await store.insertHead(head);
      const change = { version: 2, status: 'paused' as const, name: undefined, tags: { a: 'b' } };
      expect(await store.updateHead(head, change)).toBe(true);
      const { name, ...rest } = head;
      expect(await store.readHead(head.jobId, CONSISTENT)).toStrictEqual({
        ...rest,
        version: 2,
        status: 'paused',
        tags: { a: 'b' },
      });
    });

    test('an update may empty the tags', async () => {
      const store = subject();
      const head = aHead({ tags: { a: 'b' } });
      await store.insertHead(head);
      await store.updateHead(head, { version: 2, tags: {} });
      expect(await store.readHead(head.jobId, CONSISTENT)).toStrictEqual({ ...head, version: 2, tags: {} });
    });

    test('an update of the version alone changes the version', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      expect(await store.updateHead(head, { version: 9 })).toBe(true);
      expect(await store.readHead(head.jobId, CONSISTENT)).toStrictEqual({ ...head, version: 9 });
    });

    test.each([6, 8])(
      'an update that saw version %i instead of 7 is refused and changes nothing',
      async (version) => {
        const store = subject();
        const head = aHead({ version: 7 });
        await store.insertHead(head);
        expect(await store.updateHead({ ...head, version }, { version: 9, status: 'cancelled' })).toBe(false);
        expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
      },
    );

    test('an update never creates', async () => {
      const store = subject();
      const head = aHead();
      expect(await store.updateHead(head, { version: 2, status: 'paused' })).toBe(false);
      expect(await store.readHead(head.jobId, CONSISTENT)).toBeUndefined();
    });

    test('of many concurrent updates of one version exactly one succeeds', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      const names = Array.from({ length: 12 }, (_, i) => `name ${i}`);
      const done = await Promise.all(names.map((name) => store.updateHead(head, { version: 2, name })));
      expect(done.filter(Boolean)).toHaveLength(1);
      const after = await store.readHead(head.jobId, CONSISTENT);
      expect([after?.version, after?.name]).toEqual([2, names[done.indexOf(true)]]);
    });

    test('of many concurrent updates of many heads each is compared with its own version', async () => {
      const store = subject();
      const heads = Array.from({ length: 130 }, () => aHead({ version: 3 }));
      await Promise.all(heads.map((head) => store.insertHead(head)));
      const isStale = (i: number) => i % 10 === 3;
      const done = await Promise.all(
        heads.map((head, i) =>
          store.updateHead(isStale(i) ? { ...head, version: 2 } : head, { version: 100 + i }),
        ),
      );
      expect(done).toEqual(heads.map((_, i) => !isStale(i)));
      const read = await store.readHeads(
        heads.map(({ jobId }) => jobId),
        { consistent: true },
      );
      const versions = new Map(read.map(({ jobId, version }) => [jobId, version]));
      expect(heads.map(({ jobId }) => versions.get(jobId))).toEqual(
        heads.map((_, i) => (isStale(i) ? 3 : 100 + i)),
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
      await store.updateHead(head, { version: 2, tags: { a: 'c' } });
      expect(before?.tags).toEqual({ a: 'b' });
    });
  });
}
