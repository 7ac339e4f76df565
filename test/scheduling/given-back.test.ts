// A claim that is given back leaves no trace but its number: no attempt, no notification, no metric.
import { expect, test } from 'vitest';
import { asUser } from '../../src/domain/principal.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { publishEvents } from '../../src/notifications/publish-events.ts';
import { claim, giveBack } from '../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../src/scheduling/running/finish-attempt.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { withMetrics } from '../../src/worker/with-metrics.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld, USER } from '../support/standing-world.ts';
import { beforeNext } from '../support/store-faults.ts';

const FAILED = {
  kind: 'failed',
  error: { name: 'Error', message: 'no' },
  retry: { afterMs: 1_000 },
} as const;

test('a retry whose lock is refused is told and counted once', async () => {
  const world = standingWorld();
  const told: string[] = [];
  const counted: string[] = [];
  const names = Object.getOwnPropertyNames(MemoryStore.prototype) as (keyof Store)[];
  const store = Object.fromEntries(names.map((name) => [name, world.store[name].bind(world.store)]));
  const plain = { ...world.context, store: store as unknown as Store };
  const context = publishEvents(withMetrics(plain, { add: (name) => void counted.push(name), flush() {} }), {
    queue: {
      send: async (messages) =>
        void told.push(...messages.map((one) => ('event' in one ? one.event : one.kind))),
    },
  });
  const notify = [{ on: ['retrying', 'succeeded'], webhook: { url: 'https://example.com/' } }];
  const jobId = await world.create({ ...EVERY_MINUTE, notify });
  const message = world.message(jobId, at('12:01:00'));

  world.now = at('12:01:00');
  const times = { receivedAt: world.now, startedAt: world.now };
  await finishAttempt(context, claimedOf(await claim(context, 'one', message)), FAILED, times);
  const failed = world.row(message);
  expect(failed).toMatchObject({ status: 'RETRYING', attempt: 1, error: { message: 'no' } });

  world.now = at('12:01:01');
  // the first try gets the row, and then the job has another version
  beforeNext(world.store, 'takeLock', () =>
    editJob(world.context, asUser(USER), jobId, { tags: { a: 'b' } }),
  );
  const again = claimedOf(await claim(context, 'two', message));
  expect(again.row).toMatchObject({ attempt: 2, attempts: [{ attempt: 1 }] });
  expect(again.row.number).toBeGreaterThan((failed?.number ?? 0) + 1);
  await finishAttempt(context, again, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });
  expect(told).toEqual(['retrying', 'succeeded']);
  expect(counted.filter((name) => name !== 'Lateness')).toEqual(['Retried', 'Succeeded']);
});

test.each(['skip', 'queue', 'allow'])(
  'a run that stands for all that were missed is not skipped if it is given back, overlap: %s',
  async (overlap) => {
    const world = standingWorld();
    const { context } = world;
    const misfire = { policy: 'runOnce', graceSeconds: 10 };
    const jobId = await world.create({ ...EVERY_MINUTE, overlap, misfire });
    const [first, second] = [world.message(jobId, at('12:01:00')), world.message(jobId, at('12:02:00'))];
    world.now = at('12:03:00');
    await giveBack(context, claimedOf(await claim(context, 'one', first)));
    expect(await claim(context, 'one', second)).toEqual({ kind: 'drop' });
    expect(world.row(second)).toMatchObject({ status: 'SKIPPED' });
    expect(await claim(context, 'two', first)).toMatchObject({
      kind: 'run',
      claimed: { row: { attempt: 1 } },
    });
  },
);
