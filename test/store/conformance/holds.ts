import { describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { Progress } from '../../../src/domain/executions/progress.ts';
import type { HoldItem } from '../../../src/domain/jobs/job.ts';
import { aHead, aHold, aJobId, anId, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const CONSISTENT = { consistent: true };

function anItem(change: Partial<HoldItem> = {}): HoldItem {
  const token = anId(12);
  return { jobId: aJobId(), due: dueKey(T0), stamp: token, hold: aHold({ token }), ...change };
}

export function holdsConformance(subject: Subject): void {
  describe('heartbeat', () => {
    test('extends the lease, moves the stamp, and leaves the rest of the head', async () => {
      const store = subject();
      const hold = aHold();
      const head = aHead({ hold });
      await store.insertHead(head);
      const after = await store.heartbeat(head.jobId, 'head', hold.token, T0 + 60_000, 'next');
      expect(after).toEqual({ ...hold, leaseUntil: T0 + 60_000 });
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual({ ...head, hold: after, stamp: 'next' });
    });

    test('refuses a write that has seen the head before it', async () => {
      const store = subject();
      const hold = aHold();
      const head = aHead({ hold });
      await store.insertHead(head);
      await store.heartbeat(head.jobId, 'head', hold.token, T0 + 60_000, 'next');
      expect(await store.updateHead(head, { stamp: 'late', status: 'paused' })).toBe(false);
      expect(await store.updateHead({ ...head, stamp: 'next' }, { stamp: 'new', status: 'paused' })).toBe(
        true,
      );
    });

    test('returns the fields that others have set in the hold', async () => {
      const store = subject();
      const hold = aHold();
      const head = aHead({ hold });
      await store.insertHead(head);
      await store.updateHead(head, {
        stamp: 's2',
        hold: { ...hold, cancelRequested: true },
      });
      const after = await store.heartbeat(head.jobId, 'head', hold.token, T0 + 60_000, 's3');
      expect(after?.cancelRequested).toBe(true);
    });

    test('with another token is refused and changes nothing', async () => {
      const store = subject();
      const head = aHead({ hold: aHold() });
      await store.insertHead(head);
      expect(await store.heartbeat(head.jobId, 'head', 'not mine', T0 + 60_000, 'next')).toBeUndefined();
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
    });

    test('of a head without a hold, or of no head at all, is refused and creates nothing', async () => {
      const store = subject();
      const head = aHead();
      await store.insertHead(head);
      expect(await store.heartbeat(head.jobId, 'head', 'any', T0, 'next')).toBeUndefined();
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
      const nobody = aJobId();
      expect(await store.heartbeat(nobody, 'head', 'any', T0, 'next')).toBeUndefined();
      expect(await store.heartbeat(nobody, { due: dueKey(T0) }, 'any', T0, 'next')).toBeUndefined();
      expect(await store.readHead(nobody, CONSISTENT)).toBeUndefined();
      expect(await store.listHoldItems(nobody)).toEqual([]);
    });

    test('of a hold item changes only that item', async () => {
      const store = subject();
      const hold = aHold();
      const head = aHead({ hold });
      await store.insertHead(head);
      const item = anItem({ jobId: head.jobId });
      await store.insertHoldItem(item);
      const after = await store.heartbeat(
        head.jobId,
        { due: item.due },
        item.hold.token,
        T0 + 60_000,
        'next',
      );
      expect(after).toEqual({ ...item.hold, leaseUntil: T0 + 60_000 });
      expect(await store.readHoldItem(head.jobId, item.due)).toEqual({ ...item, hold: after, stamp: 'next' });
      expect(await store.readHead(head.jobId, CONSISTENT)).toEqual(head);
    });

    test('carries progress, which stays until the next progress or the next hold', async () => {
      const store = subject();
      const hold = aHold();
      const head = aHead({ hold });
      await store.insertHead(head);
      const beat = (stamp: string, progress?: Progress, token = hold.token) =>
        store.heartbeat(head.jobId, 'head', token, T0, stamp, progress);
      const half = { fraction: 0.5, text: 'half of "it" \n 半分', at: T0 };
      expect((await beat('s1', half))?.progress).toEqual(half);
      expect((await beat('s2'))?.progress).toEqual(half);
      expect(await beat('s3', { fraction: 1, at: T0 }, 'not mine')).toBeUndefined();
      expect((await store.readHead(head.jobId, CONSISTENT))?.hold?.progress).toEqual(half);
      const most = { fraction: 0.875, at: T0 + 1 };
      expect((await beat('s4', most))?.progress).toStrictEqual(most);

      const seen = await store.readHead(head.jobId, CONSISTENT);
      expect(seen?.hold?.progress).toStrictEqual(most);
      if (!seen) throw new Error('there is no head');
      expect(await store.updateHead(seen, { stamp: 's5', rowsUntil: dueKey(T0) })).toBe(true);
      const still = await store.readHead(head.jobId, CONSISTENT);
      expect(still?.hold?.progress).toStrictEqual(most);
      const cancelled = {
        ...seen.hold,
        ...aHold(),
        token: hold.token,
        progress: most,
        cancelRequested: true,
      };
      expect(await store.updateHead({ ...seen, stamp: 's5' }, { stamp: 's6', hold: cancelled })).toBe(true);
      const stopping = await store.readHead(head.jobId, CONSISTENT);
      expect(stopping?.hold).toStrictEqual(cancelled);
      const next = aHold();
      expect(await store.updateHead({ ...seen, stamp: 's6' }, { stamp: 's7', hold: next })).toBe(true);
      expect((await store.readHead(head.jobId, CONSISTENT))?.hold).toStrictEqual(next);
    });

    test('carries progress into a hold item, which the next hold does not have', async () => {
      const store = subject();
      const item = anItem();
      await store.insertHoldItem(item);
      const progress = { fraction: 0.25, text: 'a quarter', at: T0 };
      const place = { due: item.due };
      const after = await store.heartbeat(item.jobId, place, item.hold.token, T0, 's1', progress);
      expect(after?.progress).toEqual(progress);
      expect((await store.readHoldItem(item.jobId, item.due))?.hold).toStrictEqual(after);
      expect((await store.listHoldItems(item.jobId)).map(({ hold }) => hold)).toStrictEqual([after]);
      const next = aHold();
      expect(await store.updateHoldItem(item.jobId, item.due, 's1', { stamp: 's2', hold: next })).toBe(true);
      expect((await store.readHoldItem(item.jobId, item.due))?.hold).toStrictEqual(next);
    });
  });

  describe('hold items', () => {
    test('an item is read as it was written, and the second insert is refused', async () => {
      const store = subject();
      const item = anItem();
      expect(await store.readHoldItem(item.jobId, item.due)).toBeUndefined();
      expect(await store.insertHoldItem(item)).toBe(true);
      expect(await store.insertHoldItem({ ...item, stamp: 'other' })).toBe(false);
      expect(await store.readHoldItem(item.jobId, item.due)).toStrictEqual(item);
    });

    test('of many concurrent inserts exactly one succeeds', async () => {
      const store = subject();
      const item = anItem();
      const done = await Promise.all(Array.from({ length: 8 }, () => store.insertHoldItem(item)));
      expect(done.filter(Boolean)).toHaveLength(1);
    });

    test('an update needs the stamp and never creates', async () => {
      const store = subject();
      const item = anItem();
      const change = { stamp: 'next', hold: aHold({ cancelRequested: true }) };
      expect(await store.updateHoldItem(item.jobId, item.due, item.stamp, change)).toBe(false);
      expect(await store.readHoldItem(item.jobId, item.due)).toBeUndefined();
      await store.insertHoldItem(item);
      expect(await store.updateHoldItem(item.jobId, item.due, 'older', change)).toBe(false);
      expect(await store.updateHoldItem(item.jobId, item.due, item.stamp, change)).toBe(true);
      expect(await store.readHoldItem(item.jobId, item.due)).toStrictEqual({ ...item, ...change });
    });

    test('an item is removed only if it is as seen', async () => {
      const store = subject();
      const item = anItem();
      expect(await store.removeHoldItem(item.jobId, item.due, item.stamp)).toBe(false);
      await store.insertHoldItem(item);
      expect(await store.removeHoldItem(item.jobId, item.due, 'older')).toBe(false);
      expect(await store.readHoldItem(item.jobId, item.due)).toEqual(item);
      expect(await store.removeHoldItem(item.jobId, item.due, item.stamp)).toBe(true);
      expect(await store.readHoldItem(item.jobId, item.due)).toBeUndefined();
    });

    test('all hold items of a job are listed, also beyond one page, and no other items', async () => {
      const store = subject();
      const head = aHead({ hold: aHold() });
      await store.insertHead(head);
      await store.putDefinition({ jobId: head.jobId, version: 1, params: { a: 1 }, notify: [] });
      await store.insertHoldItem(anItem());
      // 12 × 100 KB: more than one query returns
      const items = Array.from({ length: 12 }, (_, i) =>
        anItem({
          jobId: head.jobId,
          due: dueKey(T0 + i),
          hold: aHold({ workerId: 'w'.repeat(100_000) }),
        }),
      );
      await Promise.all(items.map((item) => store.insertHoldItem(item)));
      expect(await store.listHoldItems(head.jobId)).toEqual(items);
    });

    test('lists holds whose lease ends late enough', async () => {
      const store = subject();
      const jobId = aJobId();
      const items = [0, 1, 2].map((i) =>
        anItem({ jobId, due: dueKey(T0 - i), hold: aHold({ leaseUntil: T0 + i }) }),
      );
      for (const item of items) await store.insertHoldItem(item);
      expect(await store.listHoldItems(jobId, T0 + 1)).toEqual([items[2], items[1]]);
    });
  });
}
