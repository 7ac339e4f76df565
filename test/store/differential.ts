// Random sequences of operations on a few keys, applied to the store in memory and to a store on an engine. Every result must be
// equal. The simulator proves something only if its store behaves like the real one.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import { OPEN, type Row, TERMINAL } from '../../src/domain/executions/row.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { ExecutionKey, Store } from '../../src/store/store.ts';
import { aHead, aRow, T0 } from '../support/fixtures.ts';
import { type OpenStore, SHARDS } from './conformance.ts';

const CONSISTENT = { consistent: true };

/** Few values of each kind, so that about half of the conditions hold. */
const job = fc.constantFrom('a', 'b', 'c');
const user = fc.constantFrom('u', 'v');
const word = fc.constantFrom('s1', 's2', 's3');
const due = fc.constantFrom(dueKey(T0), dueKey(T0 + 1), dueKey(T0 + 2), `${dueKey(T0)}-x`);
const minute = fc.integer({ min: 100, max: 103 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const number = fc.constantFrom(0, 7, 8, 9);
const version = fc.constantFrom(1, 2, 3);
const progress = maybe(
  fc.record({
    fraction: fc.constantFrom(0, 0.125, 1),
    text: fc.string({ maxLength: 5 }),
    at: fc.constant(T0),
  }),
);
const status = fc.constantFrom(...OPEN, ...TERMINAL);
/** A lease is seen of RUNNING rows only. */
const seen = fc.oneof(
  fc.record({ status, number }),
  fc.record({ status: fc.constant('RUNNING' as const), number, leaseUntil: fc.constantFrom(T0, T0 + 1) }),
);
/** Only ends are told. */
const ended = fc.record({ status: fc.constantFrom(...TERMINAL), number });
const limit = fc.integer({ min: 1, max: 4 });

const headChange = fc
  .record(
    {
      version,
      name: maybe(fc.string({ maxLength: 5, unit: 'grapheme' })),
      status: fc.constantFrom('active' as const, 'paused' as const),
      tags: fc.dictionary(fc.constantFrom('x', 'y'), fc.string({ maxLength: 3 })),
    },
    { requiredKeys: ['version'] },
  )
  .map((change) => ({ ...change }));

const row = fc
  .record({
    jobId: job,
    due,
    status,
    number,
    leaseUntil: fc.constantFrom(T0, T0 + 1),
    cancelRequested: fc.constantFrom(true as const, undefined),
    progress,
    claimId: maybe(word),
    result: maybe(fc.jsonValue({ maxDepth: 3 })),
    reason: maybe(fc.string()),
  })
  .map(
    ({ leaseUntil, ...change }): Partial<Row> => ({
      ...{ ...change, revision: 'r', userId: 'u' },
      ...(change.status === 'RUNNING' && { leaseUntil }),
    }),
  );

/** The user of a job is derived from its id, because it never changes. */
const userOf = (jobId: string, run: string) => `${jobId < 'c' ? 'u' : 'v'}-${run}`;

/** Applies an operation to one store. Ids contain the name of the run, so that runs share no items. */
type Operation = (store: Store, run: string) => Promise<unknown>;

const headOperations: fc.Arbitrary<Operation>[] = [
  fc.tuple(job, version, fc.integer({ min: 0, max: 3 })).map(
    ([jobId, version, after]) =>
      (store, run) =>
        store.insertHead(
          aHead({
            jobId: `${jobId}-${run}`,
            userId: userOf(jobId, run),
            version,
            revision: 'r',
            createdAt: T0 + after,
          }),
        ),
  ),
  fc.tuple(job, version, headChange).map(([jobId, version, change]) => async (store, run) => {
    const seen = await store.readHead(`${jobId}-${run}`, CONSISTENT);
    return seen && store.updateHead({ ...seen, version }, change);
  }),
  fc
    .tuple(job, version, maybe(number), due, number, maybe(due))
    .map(([jobId, version, was, key, number, coveredUntil]) => async (store, run) => {
      const read = await store.readHead(`${jobId}-${run}`, CONSISTENT);
      const lock = was === undefined ? undefined : { due: key, number: was };
      return (
        read && store.takeLock({ seen: { ...read, version, lock }, lock: { due: key, number }, coveredUntil })
      );
    }),
  job.map((jobId) => (store, run) => store.readHead(`${jobId}-${run}`, CONSISTENT)),
  fc.tuple(user, limit).map(
    ([userId, n]) =>
      (store, run) =>
        store.listHeads(`${userId}-${run}`, { limit: n }),
  ),
];

const rowOperations: fc.Arbitrary<Operation>[] = [
  row.map((change) => (store, run) => store.insertRow(inRun(change, run))),
  fc.tuple(seen, row).map(
    ([was, change]) =>
      (store, run) =>
        store.updateRow(was, inRun(change, run)),
  ),
  fc.tuple(job, due).map(
    ([jobId, key]) =>
      (store, run) =>
        store.readRow(`${jobId}-${run}`, key, CONSISTENT),
  ),
  fc.tuple(job, fc.boolean(), limit, maybe(due), maybe(due)).map(
    ([jobId, newestFirst, n, from, to]) =>
      (store, run) =>
        store.listRows(`${jobId}-${run}`, { ...CONSISTENT, newestFirst, limit: n, from, to }),
  ),
  fc.tuple(user, limit, maybe(due), maybe(due)).map(([userId, n, from, to]) => async (store, run) => {
    const first = await store.listRowKeys(`${userId}-${run}`, { limit: n, from, to });
    if (!first.next) return first;
    return [first, await store.listRowKeys(`${userId}-${run}`, { limit: n, from, to, cursor: first.next })];
  }),
  fc.tuple(user, limit, maybe(due), maybe(due)).map(
    ([userId, n, from, to]) =>
      (store, run) =>
        store.listFailedKeys(`${userId}-${run}`, { limit: n, from, to }),
  ),
  fc.tuple(job, due, number, fc.constantFrom(T0, T0 + 1, T0 + 2), progress).map(
    ([jobId, key, number, leaseUntil, reported]) =>
      (store, run) =>
        store.extendLease({ jobId: `${jobId}-${run}`, due: key }, number, leaseUntil, reported),
  ),
  fc.tuple(job, due, number).map(
    ([jobId, key, number]) =>
      (store, run) =>
        store.requestCancel({ jobId: `${jobId}-${run}`, due: key }, number),
  ),
  fc.tuple(job, due, ended).map(
    ([jobId, key, was]) =>
      (store, run) =>
        store.markNotified(`${jobId}-${run}`, key, was),
  ),
  fc.tuple(job, due, number).map(([jobId, key, number]) => async (store, run) => {
    const row = await store.readRow(`${jobId}-${run}`, key, { consistent: true });
    return row && store.dismissRow({ ...row, number });
  }),
];

const inRun = (change: Partial<Row>, run: string): Row => ({
  ...aRow({ ...change, jobId: `${change.jobId}-${run}` }),
  userId: userOf(change.jobId ?? '', run),
});

const shardOperations: fc.Arbitrary<Operation>[] = [
  fc.constant((store: Store, run: string) =>
    store.insertShard({ shard: Number(run), leaseUntil: 0, dispatchedUntil: 101, settledUntil: 101 }),
  ),
  fc.tuple(maybe(word), word).map(
    ([was, token]) =>
      (store, run) =>
        store.takeShard(Number(run), was, token, T0),
  ),
  fc.tuple(word, maybe(minute), maybe(minute)).map(
    ([token, dispatchedUntil, settledUntil]) =>
      (store, run) =>
        store.commitShard(Number(run), token, { leaseUntil: T0, dispatchedUntil, settledUntil }),
  ),
  fc.tuple(word, minute, minute).map(
    ([token, dispatchedUntil, settledUntil]) =>
      (store, run) =>
        store.resetShard(Number(run), token, { dispatchedUntil, settledUntil }),
  ),
  fc.constant((store: Store, run: string) => store.readShard(Number(run))),
];

const entry = fc
  .record({ jobId: job, at: fc.integer({ min: T0, max: T0 + 120_000 }), due, revision: word })
  .chain((one) => fc.constantFrom('regular' as const, 'check' as const).map((kind) => ({ ...one, kind })));

const entryOperations: fc.Arbitrary<Operation>[] = [
  fc
    .array(entry, { maxLength: 5 })
    .map(
      (entries) => (store, run) =>
        store.putEntries(entries.map((one) => ({ ...one, jobId: `${one.jobId}-${run}` }))),
    ),
  entry.map((one) => (store, run) => store.hasEntry({ ...one, jobId: `${one.jobId}-${run}` })),
  fc.tuple(fc.nat(2), fc.nat(SHARDS - 1)).map(([after, shard]) => async (store, run) => {
    const { items } = await store.readSlot(minuteOf(T0) + after, shard);
    return items.filter(({ jobId }) => jobId.endsWith(`-${run}`));
  }),
];

const stored = fc.record({ jobs: fc.nat(3), bytes: fc.nat(5) });

const counterOperations: fc.Arbitrary<Operation>[] = [
  fc.tuple(user, word, fc.integer({ min: -3, max: 3 })).map(
    ([userId, quota, count]) =>
      (store, run) =>
        store.addToQuota(`${userId}-${run}`, quota, count),
  ),
  fc.tuple(user, stored, stored).map(
    ([userId, more, max]) =>
      (store, run) =>
        store.takeStored(`${userId}-${run}`, more, {
          jobs: more.jobs + max.jobs,
          bytes: more.bytes + max.bytes,
        }),
  ),
  fc.tuple(user, stored, stored).map(
    ([userId, was, now]) =>
      (store, run) =>
        store.replaceStored(`${userId}-${run}`, was, now),
  ),
  fc.tuple(job, maybe(word), word, maybe(due)).map(([jobId, was, stamp, last]) => (store, run) => {
    const window = {
      ...{
        jobId: `${jobId}-${run}`,
        event: 'failed' as const,
        stamp,
        until: T0,
        openedBy: 'o',
        suppressed: 1,
      },
      ...{ recent: ['r'], ...(last !== undefined && { last }) },
    };
    return store.writeNotificationWindow(
      was === undefined ? undefined : { ...window, stamp: was },
      window,
      1e10,
    );
  }),
  job.map((jobId) => (store, run) => store.readNotificationWindow(`${jobId}-${run}`, 'failed')),
];

const seat = fc.record({ n: fc.nat(2), jobId: job, due, number });

const seatOperations: fc.Arbitrary<Operation>[] = [
  fc.tuple(seat, maybe(fc.record({ jobId: job, due, number }))).map(([one, was]) => (store, run) => {
    const next = { ...one, owner: run, key: 'db' };
    return store.writeSeat(was && { ...next, ...was }, next);
  }),
  fc.constant((store: Store, run: string) => store.readSeats({ owner: run, key: 'db' }, CONSISTENT)),
];

const key = fc.record({ jobId: job, due });
const keyIn = (one: ExecutionKey, run: string) => ({ ...one, jobId: `${one.jobId}-${run}` });

const besideOperations: fc.Arbitrary<Operation>[] = [
  fc.tuple(key, number, fc.jsonValue({ maxDepth: 3 })).map(
    ([one, number, checkpoint]) =>
      (store, run) =>
        store.putCheckpoint(keyIn(one, run), number, checkpoint),
  ),
  key.map((one) => (store, run) => store.readCheckpoint(keyIn(one, run))),
  fc.tuple(key, fc.nat(3)).map(
    ([one, after]) =>
      (store, run) =>
        store.putWait(keyIn(one, run), T0 + after),
  ),
  job.map((jobId) => (store, run) => store.firstWait(`${jobId}-${run}`)),
  fc.tuple(key, fc.nat(3)).map(
    ([one, after]) =>
      (store, run) =>
        store.removeWait(keyIn(one, run), T0 + after),
  ),
];

/** Each operation is applied for two runs at once, so that the store batches it, and alone for a third. */
export function describeDifferential(name: string, open: () => Promise<OpenStore>): void {
  describe(`the store in memory answers like ${name}`, () => {
    let opened: OpenStore;
    const memory = new MemoryStore({ shards: SHARDS });
    let runs = 0;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    test.each([
      ['heads', headOperations],
      ['rows', rowOperations],
      ['shards', shardOperations],
      ['entries', entryOperations],
      ['quotas and notification windows', counterOperations],
      ['seats of concurrency keys', seatOperations],
      ['checkpoints and waits', besideOperations],
    ])('%s', async (_what, operations) => {
      const sequence = fc.array(fc.oneof(...operations), { minLength: 5, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(sequence, async (list) => {
          const [alone, ...together] = [String(runs++), String(runs++), String(runs++)];
          for (const operation of list) {
            const expected = await operation(memory, alone);
            expect(await operation(opened.store, alone)).toStrictEqual(expected);
            const answers = await Promise.all(together.map((run) => operation(opened.store, run)));
            for (const [i, run] of together.entries())
              expect(answers[i]).toStrictEqual(await operation(memory, run));
          }
        }),
        { numRuns: 30 },
      );
    });
  });
}
