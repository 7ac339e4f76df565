// What a wrong clock has written does not silence a job, and what it is about to write is refused.
import { beforeEach, describe, expect, test } from 'vitest';
import { dueAtOf, dueKey, MANUAL } from '../../src/domain/executions/ids.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../src/domain/principal.ts';
import { fireAt } from '../../src/domain/schedule/occurrences.ts';
import { acceptJob, createAccepted } from '../../src/jobs/create-async.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { runNow } from '../../src/jobs/manual-runs.ts';
import type { Message } from '../../src/queue/queue.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { settleSlot } from '../../src/scheduling/planning/settle-slot.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { newRow } from '../../src/scheduling/records/write-row.ts';
import { finishAttempt } from '../../src/scheduling/running/finish-attempt.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { receivedMessage } from '../support/received-message.ts';
import { claimedOf, MINUTE, NOON, SUCCEEDED, standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const HOUR = 60 * MINUTE;
const SKEW_MS = 2_000;
const EVERY = { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' };
let world: ReturnType<typeof standingWorld>;
beforeEach(() => {
  world = standingWorld();
});

const specOf = (spec: Record<string, unknown>) => jobSpecSchema.parse({ task: 'noop', ...spec });
const headOf = (jobId: string): Head => {
  const head = world.store.heads.get(jobId);
  if (!head) throw new Error('there is no head');
  return head;
};
const messageOf = (jobId: string, due: number): Message => {
  const found = world.sent.find((message) => message.jobId === jobId && dueAtOf(message.due) === due);
  if (!found) throw new Error('nothing was sent');
  return found;
};
const claimAt = (jobId: string, due: number, now: number) => {
  world.now = now;
  return claim(world.context, 'worker', messageOf(jobId, due));
};

describe.each(['skip', 'queue', 'allow'])(
  'coveredUntil an hour beyond the present, overlap: %s',
  (overlap) => {
    const create = async () => {
      const misfire = { policy: 'runOnce', graceSeconds: 10 };
      const jobId = await world.create({ schedule: EVERY, overlap, misfire });
      const ahead = dueKey(NOON + HOUR);
      world.store.heads.set(jobId, { ...headOf(jobId), coveredUntil: ahead });
      return jobId;
    };

    test('an occurrence in time runs, and the head is put right', async () => {
      const jobId = await create();
      const first = NOON + MINUTE;
      expect(await claimAt(jobId, first, first)).toMatchObject({ kind: 'run' });
      expect(headOf(jobId).coveredUntil).toBeUndefined();
    });

    test('one that comes late, within the grace period, runs', async () => {
      const jobId = await create();
      const first = NOON + MINUTE;
      expect(await claimAt(jobId, first, first + 9_000)).toMatchObject({ kind: 'run' });
    });

    test('one that was missed stands for those that were missed, and for no other', async () => {
      const jobId = await create();
      expect(await claimAt(jobId, NOON + MINUTE, NOON + 3 * MINUTE + 1_000)).toMatchObject({ kind: 'run' });
      expect(headOf(jobId).coveredUntil).toBe(dueKey(NOON + 3 * MINUTE + 1_000 - 2 * SKEW_MS));
    });
  },
);

describe('misfire: runOnce', () => {
  const create = (graceSeconds: number) =>
    world.create({ schedule: EVERY, overlap: 'allow', misfire: { policy: 'runOnce', graceSeconds } });

  test('covers nothing that may be in time by the clock of another machine', async () => {
    const jobId = await create(10);
    const late = NOON + MINUTE;
    await claimAt(jobId, late, late + MINUTE + 2 * SKEW_MS - 1);
    expect(dueAtOf(headOf(jobId).coveredUntil ?? '')).toBe(late + MINUTE - 1);
    await claimAt(jobId, late + MINUTE, late + 3 * MINUTE + 2 * SKEW_MS);
    expect(headOf(jobId).coveredUntil).toBe(dueKey(late + 3 * MINUTE));
  });

  test('does not cover an occurrence that jitter keeps back, although a later one has fired', async () => {
    const misfire = { policy: 'runOnce', graceSeconds: 10 };
    const jobId = await world.create({ schedule: { ...EVERY, jitterSeconds: 300 }, misfire }, 'jitter-0');
    const { schedule } = headOf(jobId);
    const firesAt = (n: number) => fireAt(schedule, jobId, NOON + n * MINUTE);
    const [missed, kept, later] = [1, 2, 3];
    expect(firesAt(missed)).toBeLessThan(firesAt(kept) - 30_000);
    expect(firesAt(later)).toBeLessThan(firesAt(kept) - 30_000);
    const between = firesAt(kept) - 10_000;
    const ran = claimedOf(await claimAt(jobId, NOON + missed * MINUTE, between));
    await finishAttempt(world.context, ran, SUCCEEDED, { receivedAt: between, startedAt: between });
    expect(await claimAt(jobId, NOON + kept * MINUTE, firesAt(kept) + SKEW_MS + 1)).toMatchObject({
      kind: 'run',
    });
  });

  test('does not skip an occurrence that is in time, whatever the head says', async () => {
    const jobId = await create(0);
    const due = NOON + MINUTE;
    world.store.heads.set(jobId, { ...headOf(jobId), coveredUntil: dueKey(due) });
    expect(await claimAt(jobId, due, due + SKEW_MS)).toMatchObject({ kind: 'run' });
  });
});

describe('a writer whose clock is corrected while it writes', () => {
  /** The first look shows an hour too much, as a process does that has heard of nobody yet. */
  const withWrongClock = (error: number) => {
    let looks = 0;
    const now = () => world.now + (looks++ < 2 ? error : 0);
    return { ...world.context, clock: { ...world.context.clock, now } };
  };

  test.each([HOUR, -HOUR])('decides nothing (%i ms)', async (error) => {
    const creating = createJob(withWrongClock(error), { userId: 'ann', spec: specOf({ schedule: EVERY }) });
    await expect(creating).rejects.toThrow('the clock was corrected');
    expect(world.store.heads.size).toBe(0);
    const jobId = await world.create({ schedule: EVERY });
    await expect(runNow(withWrongClock(error), asUser('ann'), jobId)).rejects.toThrow(
      'the clock was corrected',
    );
    expect(world.store.rows.size).toBe(0);
  });

  test('accepts no job for the future', async () => {
    const { context } = world;
    const queued: Parameters<typeof createAccepted>[1][] = [];
    const ingest = { send: async (message: (typeof queued)[number]) => queued.push(message) > 0 };
    const spec = specOf({ schedule: { in: 'PT5S' } });
    world.now += HOUR;
    await acceptJob(context, ingest, { userId: 'ann', spec });
    world.now -= HOUR;
    for (const message of queued) await createAccepted(context, message);
    expect(world.sent.map(({ fireAt }) => fireAt)).toEqual([NOON + 5_000]);
  });
});

describe('a watcher', () => {
  const pass = () => watch(world.context, [0], new AbortController().signal);

  test('takes a shard whose lease ends later than any lease can', async () => {
    await pass();
    const shard = world.store.shards.get(0);
    if (!shard) throw new Error('there is no shard');
    world.store.shards.set(0, { ...shard, token: 'dead', leaseUntil: world.now + HOUR });
    expect((await pass()).busy).toBe(0);
    world.store.shards.set(0, { ...shard, token: 'live', leaseUntil: world.now + 30_000 });
    expect((await pass()).busy).toBe(1);
  });

  test('resets cursors that are in the future', async () => {
    await pass();
    const before = world.store.shards.get(0);
    world.now += HOUR;
    await pass();
    world.now -= HOUR;
    await pass();
    expect(world.store.shards.get(0)).toMatchObject({ dispatchedUntil: before?.dispatchedUntil });
    expect(world.errors).toHaveLength(1);
    await pass();
    expect(world.errors).toHaveLength(1);
  });

  test('carries on the chain of an occurrence that has run before its slot is settled', async () => {
    await pass();
    const jobId = await world.create({ schedule: { ...EVERY, endAt: '2026-12-01T13:00:00Z' } });
    const lost = world.sent.filter((message) => message.jobId === jobId);
    const last = lost.at(-1);
    world.sent.length = 0;
    // the cursor has passed all that was planned, and nobody has planned what follows
    const shard = world.store.shards.get(0);
    if (!shard || !last) throw new Error('nothing was planned');
    const dispatchedUntil = Math.floor((dueAtOf(last.due) + 2 * MINUTE) / MINUTE);
    world.store.shards.set(0, { ...shard, dispatchedUntil });
    for (let i = 0; i < 20; i++) {
      world.now += MINUTE;
      await pass();
      for (const message of world.sent.splice(0)) {
        const answer = await claim(world.context, 'worker', message);
        if (answer.kind !== 'run') continue;
        const times = { receivedAt: world.now, startedAt: world.now };
        await finishAttempt(world.context, answer.claimed, SUCCEEDED, times);
      }
    }
    const dues = world.store.rows.all().map(({ due }) => dueAtOf(due));
    expect(Math.max(...dues)).toBeGreaterThan(dueAtOf(last.due) + 5 * MINUTE);
  });
});

/** Such rows come without a message of dispatch, and only dispatch plans what follows. */
test.each([
  ['backfilled', { revision: MANUAL, status: 'SUCCEEDED', number: 1 }],
  ['cancelled before its start', { status: 'CANCELLED' }],
] as const)('settle carries on the chain of an occurrence that was %s', async (_, row) => {
  const pass = () => watch(world.context, [0], new AbortController().signal);
  await pass();
  const jobId = await world.create({ schedule: { ...EVERY, endAt: '2026-12-01T13:00:00Z' } });
  world.sent.length = 0;
  const head = headOf(jobId);
  let minute = minuteOf(NOON);
  while ((await world.store.readSlot(minute + 1, 0)).items.length > 0) {
    minute++;
    const due = dueKey(minute * MINUTE);
    await world.store.insertRow({ ...newRow(head, due, head.revision, row.status), ...row });
  }
  world.now = (minute + 10) * MINUTE;
  await settleSlot(world.context, 0, minute, minute + 5);
  const sent = world.sent.map(({ due }) => dueAtOf(due) / MINUTE - minute);
  expect(sent).toEqual([1, 2, 3, 4, 5]);
});

describe('a worker whose clock is wrong', () => {
  const at = async (offs: number[], spec: Record<string, unknown> = {}) => {
    const jobId = await world.create({ schedule: EVERY, retry: { maxAttempts: 2 }, ...spec });
    const message = messageOf(jobId, NOON + MINUTE);
    world.now = message.fireAt;
    const received = receivedMessage(message);
    const { fate } = received;
    let looks = 0;
    const offBy = () => offs[Math.min(looks++, offs.length - 1)] ?? 0;
    const running = { add: () => void fate.push('runs'), remove() {} };
    const worker = workerPort(new Map(), { running });
    await handleMessage({ ...world.context, clock: { ...world.context.clock, offBy } }, worker, received);
    return { fate, row: world.row(message) };
  };

  test('hands a message back at once', async () => {
    expect(await at([HOUR])).toMatchObject({ fate: ['hidden 0'] });
    expect((await at([-SKEW_MS])).row).toBeUndefined();
  });

  test('returns its messages if the clock becomes wrong, and gives claims back', async () => {
    expect((await at([0, HOUR])).fate).toEqual(['hidden 0']);
    const { fate, row } = await at([0, 0, HOUR]);
    expect(fate).toEqual(['hidden 0']);
    expect(row).toMatchObject({ status: 'QUEUED', attempt: 0 });
  });

  test('runs when the clock is off by no more than is allowed', async () => {
    expect((await at([SKEW_MS / 2])).fate).toContain('runs');
  });
});
