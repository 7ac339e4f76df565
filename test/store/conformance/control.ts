import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { anId, T0 } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

let nextShard = Math.floor(Math.random() * 1e9);

async function aShard(store: Store, token?: string) {
  const shard = { shard: nextShard++, token, leaseUntil: 0, dispatchedUntil: 100, settledUntil: 90 };
  await store.insertShard(shard);
  return shard.shard;
}

export function controlConformance(subject: Subject): void {
  describe('shards', () => {
    test('are inserted once', async () => {
      const store = subject();
      const shard = { shard: nextShard++, leaseUntil: 0, dispatchedUntil: 100, settledUntil: 90 };
      expect(await store.readShard(shard.shard)).toBeUndefined();
      expect(await store.insertShard(shard)).toBe(true);
      expect(await store.insertShard({ ...shard, dispatchedUntil: 0 })).toBe(false);
      expect(await store.readShard(shard.shard)).toStrictEqual(shard);
    });

    test('are leased if the token is as seen, or absent as seen', async () => {
      const store = subject();
      const shard = await aShard(store);
      expect(await store.takeShard(shard, 'somebody', 'mine', T0)).toBe(false);
      expect(await store.takeShard(shard, undefined, 'mine', T0)).toBe(true);
      expect(await store.takeShard(shard, undefined, 'late', T0)).toBe(false);
      expect(await store.takeShard(shard, 'mine', 'next', T0 + 1)).toBe(true);
      expect(await store.readShard(shard)).toMatchObject({
        token: 'next',
        leaseUntil: T0 + 1,
        dispatchedUntil: 100,
      });
    });

    test('that do not exist cannot be leased or committed', async () => {
      const store = subject();
      const shard = nextShard++;
      expect(await store.takeShard(shard, undefined, 'mine', T0)).toBe(false);
      expect(await store.commitShard(shard, 'mine', { leaseUntil: T0, dispatchedUntil: 1 })).toBe(false);
      expect(await store.readShard(shard)).toBeUndefined();
    });

    test('of many concurrent leases exactly one succeeds', async () => {
      const store = subject();
      const shard = await aShard(store);
      const tokens = Array.from({ length: 8 }, () => anId(12));
      const done = await Promise.all(tokens.map((token) => store.takeShard(shard, undefined, token, T0)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect((await store.readShard(shard))?.token).toBe(tokens[done.indexOf(true)]);
    });

    test('a commit stores the progress of a rebuild, and other commits and resets keep it', async () => {
      const store = subject();
      const shard = await aShard(store, 'mine');
      const rebuild = { beganAt: T0, next: 'cursor' };
      expect(await store.commitShard(shard, 'other', { leaseUntil: T0, rebuild })).toBe(false);
      expect(await store.readShard(shard)).not.toHaveProperty('rebuild');
      expect(await store.commitShard(shard, 'mine', { leaseUntil: T0, rebuild })).toBe(true);
      expect(await store.commitShard(shard, 'mine', { leaseUntil: T0, dispatchedUntil: 101 })).toBe(true);
      expect(await store.takeShard(shard, 'mine', 'next', T0)).toBe(true);
      await store.resetShard(shard, 'next', { dispatchedUntil: 80, settledUntil: 80 });
      expect(await store.readShard(shard)).toMatchObject({ rebuild, dispatchedUntil: 80 });
      // one that has ended has no cursor
      const ended = { beganAt: T0 + 1 };
      const change = { leaseUntil: T0, rebuild: { ...ended, next: undefined }, dispatchedUntil: 70 };
      expect(await store.commitShard(shard, 'next', change)).toBe(true);
      const found = await store.readShard(shard);
      expect(found?.rebuild).toStrictEqual(ended);
      expect(found?.dispatchedUntil).toBe(80);
    });

    test('a commit moves the given cursors, and only with the token', async () => {
      const store = subject();
      const shard = await aShard(store, 'mine');
      expect(await store.commitShard(shard, 'mine', { leaseUntil: T0, dispatchedUntil: 101 })).toBe(true);
      expect(await store.commitShard(shard, 'mine', { leaseUntil: T0 + 1, settledUntil: 91 })).toBe(true);
      expect(await store.commitShard(shard, 'mine', { leaseUntil: T0 + 2 })).toBe(true);
      expect(await store.commitShard(shard, 'other', { leaseUntil: T0 + 9, dispatchedUntil: 200 })).toBe(
        false,
      );
      const after = { shard, token: 'mine', leaseUntil: T0 + 2, dispatchedUntil: 101, settledUntil: 91 };
      expect(await store.readShard(shard)).toStrictEqual(after);
    });

    test('cursors never move back, and the lease is extended', async () => {
      const store = subject();
      const shard = await aShard(store, 'mine');
      const change = { leaseUntil: T0, dispatchedUntil: 50, settledUntil: 95 };
      expect(await store.commitShard(shard, 'mine', change)).toBe(true);
      const after = { shard, token: 'mine', leaseUntil: T0, dispatchedUntil: 100, settledUntil: 95 };
      expect(await store.readShard(shard)).toStrictEqual(after);
    });

    test('a reset sets both cursors, also back, and only with the token', async () => {
      const store = subject();
      const shard = await aShard(store, 'mine');
      const lease = (await store.readShard(shard))?.leaseUntil;
      const back = { dispatchedUntil: 50, settledUntil: 3 };
      expect(await store.resetShard(shard, 'other', back)).toBe(false);
      expect(await store.readShard(shard)).toMatchObject({ dispatchedUntil: 100 });
      expect(await store.resetShard(shard, 'mine', back)).toBe(true);
      expect(await store.readShard(shard)).toStrictEqual({
        shard,
        token: 'mine',
        leaseUntil: lease,
        ...back,
      });
      expect(await store.resetShard(nextShard++, 'mine', back)).toBe(false);
    });
  });

  describe('workers', () => {
    const aWorker = (beatAt: number) => ({
      workerId: anId(12),
      startedAt: T0,
      beatAt,
      running: [{ id: 'job_x.1796119200000', since: T0 }],
      host: 'ip-10-0-12-34',
    });

    test('are listed while their heartbeat is recent, and not after their removal', async () => {
      const store = subject();
      const [old, live, idle, gone] = [
        aWorker(T0 - 1),
        aWorker(T0),
        { ...aWorker(T0), running: [] },
        aWorker(T0),
      ];
      for (const worker of [old, live, idle, gone]) await store.putWorker(worker);
      await store.removeWorker(gone.workerId);
      await store.removeWorker('never there');
      const ids = new Set([old, live, idle, gone].map((worker) => worker.workerId));
      const listed = (await store.listWorkers(T0)).filter((worker) => ids.has(worker.workerId));
      expect(new Set(listed)).toEqual(new Set([live, idle]));
      expect(listed.find((worker) => worker.workerId === live.workerId)).toStrictEqual(live);
    });

    test('are listed up to a limit', async () => {
      const store = subject();
      for (const worker of [aWorker(T0), aWorker(T0), aWorker(T0)]) await store.putWorker(worker);
      expect(await store.listWorkers(T0, 2)).toHaveLength(2);
      expect(await store.listWorkers(Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
    });

    test('keep concurrency, version, drain and counts', async () => {
      const store = subject();
      const worker = {
        ...aWorker(T0),
        ...{ concurrency: 100, version: '0.1.0', draining: true as const },
        ended: [
          { minute: 29_935_320, succeeded: 12, failed: 1 },
          { minute: 29_935_319, skipped: 1 },
        ],
      };
      await store.putWorker(worker);
      expect(await store.readWorker(worker.workerId)).toStrictEqual(worker);
    });

    test('a heartbeat replaces the one before', async () => {
      const store = subject();
      const worker = aWorker(T0);
      await store.putWorker(worker);
      await store.putWorker({ ...worker, beatAt: T0 + 10, running: [] });
      const found = (await store.listWorkers(T0)).filter(({ workerId }) => workerId === worker.workerId);
      expect(found).toStrictEqual([{ ...worker, beatAt: T0 + 10, running: [] }]);
      expect(await store.readWorker(worker.workerId)).toStrictEqual(found[0]);
      expect(await store.readWorker('never there')).toBeUndefined();
    });
  });
}
