// Watchers return after months. Entries that TTL removes by age are gone by then, the queue has lost its messages, and every
// job still fires: what was missed by its misfire policy, and nothing twice.
import { DatabaseSync } from 'node:sqlite';
import { DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dueAtOf, dueKey } from '../../src/domain/executions/ids.ts';
import {
  type Entry,
  keptMs,
  minuteOf,
  OCCURRENCE_KEPT_MS,
  parseEntryKey,
} from '../../src/domain/executions/slots.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../src/domain/principal.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import type { Message } from '../../src/queue/queue.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { rebuildIfLost } from '../../src/scheduling/planning/rebuild.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { finishAttempt, type Outcome } from '../../src/scheduling/running/finish-attempt.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { claimStepByStep, type Store } from '../../src/store/store.ts';
import { startDynoxide } from '../support/engines.ts';
import { aBoot, T0 } from '../support/fixtures.ts';
import { aFile } from '../support/sqlite-file.ts';
import { MINUTE, NOON } from '../support/standing-world.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const USER = 'ann';
const me = asUser(USER);
const iso = (at: number): string => new Date(at).toISOString();

interface Opened {
  readonly store: Store;
  /** Removes the entries that are older than the timetable keeps them, as TTL does. */
  expire(now: number): Promise<void>;
}

const isOld = (entry: Entry, now: number): boolean => entry.at + keptMs(entry) < now;

const ENGINES: Record<string, (clock: { now: number }) => Promise<Opened>> = {
  async memory() {
    const store = new MemoryStore({ shards: 1 });
    store.claim = (writes) => claimStepByStep(store, writes);
    return {
      store,
      async expire(now) {
        for (const slot of store.slots.values())
          for (const [key, entry] of slot) if (isOld(entry, now)) slot.delete(key);
      },
    };
  },
  async SQLite() {
    const file = aFile();
    const opened = await openSqliteStore({ file, boot: aBoot(T0), shards: 1, retentionDays: 90 });
    onTestFinished(() => opened.close());
    return {
      store: opened.store,
      async expire(now) {
        const db = new DatabaseSync(file);
        for (const { key } of db.prepare('SELECT key FROM timetable').all())
          if (isOld(parseEntryKey(String(key)), now))
            db.prepare('DELETE FROM timetable WHERE key = ?').run(String(key));
        db.close();
      },
    };
  },
  async dynoxide(clock) {
    const { client, stop } = await startDynoxide();
    onTestFinished(stop);
    await createTables(client, 'test-');
    const store = createDynamoStore({ client, tablePrefix: 'test-', shards: 1, now: () => clock.now });
    return {
      store,
      async expire(now) {
        const TableName = 'test-timetable';
        const { Items = [] } = await client.send(new ScanCommand({ TableName }));
        for (const { slot, key, expiresAt } of Items)
          if (slot && key && Number(expiresAt?.N) * 1_000 < now)
            await client.send(new DeleteItemCommand({ TableName, Key: { slot, key } }));
      },
    };
  },
};

interface Start {
  readonly jobId: string;
  readonly due: string;
  readonly at: number;
}

async function openWorld(engine: string) {
  const clock = { now: NOON };
  const { store, expire } = await (ENGINES[engine] as (typeof ENGINES)[string])(clock);
  let waiting: { at: number; message: Message }[] = [];
  const starts: Start[] = [];
  const errors: string[] = [];
  const quiet = () => {};
  const context: Context = {
    store,
    queue: {
      send: async (messages) => {
        waiting.push(...messages.map((message) => ({ at: message.fireAt, message })));
      },
    },
    clock: {
      now: () => clock.now,
      monotonic: () => clock.now,
      sleep: (ms, signal) =>
        signal && ms > 1_000
          ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
          : Promise.resolve(),
    },
    random: systemRandom,
    log: {
      ...{ debug: quiet, info: quiet, warn: quiet },
      error: (message, fields) => void errors.push(`${message} ${JSON.stringify(fields)}`),
    },
    settings: { ...DEFAULT_SETTINGS, shards: 1 },
  };
  /** What the task of an execution does. Undefined: its worker dies. */
  const world = {
    store,
    context,
    clock,
    starts,
    errors,
    expire,
    outcomeOf: (_: Start): Outcome | undefined => ({ kind: 'succeeded', result: undefined }),
    async create(spec: Record<string, unknown>): Promise<string> {
      const parsed = jobSpecSchema.parse({ task: 'noop', ...spec });
      return (await createJob(context, { userId: USER, spec: parsed })).job.id;
    },
    /** Handles all messages that are due, the earlier ones first. */
    async work(): Promise<void> {
      for (;;) {
        const due = waiting.filter(({ at }) => at <= clock.now).sort((a, b) => a.at - b.at);
        if (due.length === 0) return;
        waiting = waiting.filter(({ at }) => at > clock.now);
        for (const { message } of due) await handle(message);
      }
    },
    loseMessages(): void {
      waiting = [];
    },
    async pass(): Promise<void> {
      clock.now += MINUTE;
      await watch(context, [0], new AbortController().signal);
      await world.work();
    },
    startsOf: (jobId: string, since = 0) =>
      starts.filter((start) => start.jobId === jobId && start.at >= since),
  };
  async function handle(message: Message): Promise<void> {
    const result = await claim(context, 'worker', message);
    // a message that comes back at once comes back with the next pass
    if (result.kind === 'later') waiting.push({ at: Math.max(result.at, clock.now + 1), message });
    if (result.kind !== 'run') return;
    const start = { jobId: message.jobId, due: message.due, at: clock.now };
    starts.push(start);
    const outcome = world.outcomeOf(start);
    const times = { receivedAt: clock.now, startedAt: clock.now };
    if (outcome) await finishAttempt(context, result.claimed, outcome, times);
  }
  return world;
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** Passes until both cursors are as far as they can be. */
async function catchUp(world: World): Promise<void> {
  for (let passes = 0; passes < 400; passes++) {
    await world.pass();
    const shard = await world.store.readShard(0);
    if ((shard?.settledUntil ?? 0) >= minuteOf(world.clock.now) - 5) return;
  }
  throw new Error('the watchers did not catch up');
}

/** Every row of a job, oldest first. */
async function rowsOf({ store }: World, jobId: string) {
  return (await store.listRows(jobId, { limit: 5_000, consistent: true, newestFirst: false })).items;
}

const EVERY_12_HOURS = { every: 'PT12H', startAt: iso(NOON + 30 * MINUTE) };
const EVERY_MINUTE = { every: 'PT1M', startAt: iso(NOON) };

const days = 40;

describe.each([
  ['memory', days],
  // each commit waits for the disk
  ['SQLite', 17],
])('on %s, after %i days without watchers and workers', (engine, days) => {
  test('every job fires again, what was missed by its policy, and nothing twice', async () => {
    const world = await openWorld(engine);
    const { clock, store } = world;
    const runOnce = await world.create({ schedule: EVERY_MINUTE });
    const skips = await world.create({ schedule: EVERY_MINUTE, misfire: { policy: 'skip' } });
    const runAll = await world.create({ schedule: EVERY_12_HOURS, misfire: { policy: 'runAll' } });
    const daily = await world.create({ schedule: { cron: '0 9 * * *', timezone: 'Europe/Paris' } });
    const unstarted = await world.create({ schedule: { at: iso(NOON + 16 * MINUTE) } });
    const meanwhile = await world.create({ schedule: { at: iso(NOON + (days / 2) * DAY) } });
    const later = await world.create({ schedule: { at: iso(NOON + days * DAY + 18 * HOUR) } });
    const killed = await world.create({
      schedule: { at: iso(NOON + 12 * MINUTE) },
      retry: { maxAttempts: 2 },
    });
    const retried = await world.create({ schedule: { at: iso(NOON + 2 * MINUTE) } });
    const pausedUntil = NOON + (days / 4) * DAY;
    const resumed = await world.create({ schedule: EVERY_12_HOURS });
    await pauseJob(world.context, me, resumed, { until: pausedUntil });
    const paused = await world.create({ schedule: EVERY_MINUTE });
    await pauseJob(world.context, me, paused);

    world.outcomeOf = ({ jobId }) => {
      if (jobId === killed) return undefined;
      const error = { name: 'Error', message: 'later' };
      if (jobId === retried) return { kind: 'failed', error, retry: { afterMs: 2 * HOUR } };
      return { kind: 'succeeded', result: undefined };
    };
    for (let i = 0; i < 13; i++) await world.pass();
    expect(world.startsOf(runOnce).length).toBeGreaterThan(10);
    expect(world.startsOf(killed)).toHaveLength(1);
    expect(world.startsOf(unstarted)).toHaveLength(0);

    const down = clock.now;
    world.outcomeOf = () => ({ kind: 'succeeded', result: undefined });
    world.loseMessages();
    const createdAt = NOON + days * 0.6 * DAY;
    clock.now = createdAt;
    const created = await world.create({ schedule: EVERY_12_HOURS });
    clock.now = NOON + days * DAY;
    await world.expire(clock.now + OCCURRENCE_KEPT_MS);
    const back = clock.now;
    await catchUp(world);
    const caughtUp = clock.now;
    for (let i = 0; i < 5; i++) await world.pass();

    // nothing twice, but for the retries of what had failed or lost its worker
    const ids = world.starts.map(({ jobId, due }) => `${jobId}.${due}`);
    const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
    expect(twice.map((id) => id.split('.')[0]).sort()).toEqual([killed, retried].sort());
    expect(world.errors).toEqual([]);

    // one run for all that were missed, then every minute
    const isLate = ({ at, due }: Start): boolean => at - dueAtOf(due) > MINUTE;
    expect(world.startsOf(runOnce, down + 1).filter(isLate)).toHaveLength(1);
    expect(world.startsOf(runOnce, caughtUp + 1)).toHaveLength(5);
    expect(world.startsOf(skips, caughtUp + 1)).toHaveLength(5);
    expect(world.startsOf(skips, down + 1).filter(isLate)).toHaveLength(0);
    expect((await rowsOf(world, skips)).filter(({ status }) => status === 'SKIPPED').length).toBeGreaterThan(
      0,
    );

    // all that were missed, in their order
    const dues = world.startsOf(runAll, down + 1).map(({ due }) => dueAtOf(due));
    const wanted: number[] = [];
    for (let due = NOON + 30 * MINUTE; due <= clock.now; due += 12 * HOUR) wanted.push(due);
    expect(dues).toEqual(wanted);

    // the last one that was missed, and the next one is planned
    const lastDaily = world.startsOf(daily, down + 1).map(({ due }) => dueAtOf(due));
    expect(lastDaily).toHaveLength(1);
    expect(lastDaily[0]).toBeGreaterThan(back - DAY);
    const head = await store.readHead(daily, { consistent: true });
    const tomorrow = (lastDaily[0] ?? 0) + DAY;
    const entry = { jobId: daily, revision: head?.revision ?? '', kind: 'regular' as const };
    expect(await store.hasEntry({ ...entry, at: tomorrow, due: dueKey(tomorrow) })).toBe(true);

    for (const one of [unstarted, meanwhile, killed, retried]) {
      expect(world.startsOf(one, down + 1)).toHaveLength(1);
      expect(await store.readHead(one, { consistent: true })).toMatchObject({ status: 'completed' });
    }
    const [lost] = await rowsOf(world, killed);
    expect(lost).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });

    for (const [one, since] of [
      [resumed, pausedUntil],
      [created, createdAt],
    ] as const) {
      const [missed] = world.startsOf(one, down + 1);
      expect(dueAtOf(missed?.due ?? '')).toBeGreaterThanOrEqual(since);
      expect(world.startsOf(one).every(({ due }) => dueAtOf(due) >= since)).toBe(true);
    }
    expect(world.startsOf(paused)).toHaveLength(0);

    clock.now = NOON + days * DAY + 18 * HOUR - MINUTE;
    expect(world.startsOf(later)).toHaveLength(0);
    for (let i = 0; i < 2; i++) await world.pass();
    expect(world.startsOf(later)).toHaveLength(1);
  }, 300_000);
});

const signal = new AbortController().signal;

/** Rebuilds the entries of the shard, and nothing else. */
async function rebuild({ store, context }: World, stop = signal): Promise<boolean> {
  const shard = await store.readShard(0);
  if (!shard?.token) throw new Error('nobody has watched the shard');
  const { token } = shard;
  const commit = (change: object) => store.commitShard(0, token, { ...change, leaseUntil: 0 });
  return rebuildIfLost(context, shard, commit, stop);
}

test('what is planned again on DynamoDB is kept for a month from now on, and what cannot be planned for a year', async () => {
  const world = await openWorld('dynoxide');
  const { clock, store } = world;
  const minutely = await world.create({ schedule: EVERY_MINUTE, misfire: { policy: 'runAll' } });
  const once = await world.create({ schedule: { at: iso(NOON + DAY) } });
  await world.pass();
  const cancelled = await world.create({ schedule: EVERY_MINUTE });
  await cancelJob(world.context, me, cancelled);
  const byHand: Entry = { jobId: once, revision: 'MANUAL', at: NOON, due: `${NOON}-a`, kind: 'byHand' };
  await store.putEntries([byHand]);
  const { dispatchedUntil = 0 } = (await store.readShard(0)) ?? {};
  clock.now = NOON + days * DAY;
  await world.expire(clock.now);
  expect(await store.hasEntry(byHand)).toBe(true);
  const beyond = async () => (await store.readSlot(dispatchedUntil + 1, 0)).items.map(({ jobId }) => jobId);
  expect(await beyond()).toEqual([]);
  expect(await rebuild(world)).toBe(true);
  expect(new Set(await beyond())).toEqual(new Set([minutely]));
  await world.expire(clock.now + 30 * DAY);
  expect(new Set(await beyond())).toEqual(new Set([minutely]));
  const { items } = await store.readSlot(minuteOf(NOON + DAY), 0);
  expect(items).toMatchObject([{ jobId: once, kind: 'regular', at: NOON + DAY }]);
});

describe('a rebuild', () => {
  /** A world of jobs that have lost their entries. */
  async function withJobs(count: number): Promise<World> {
    const world = await openWorld('memory');
    for (let i = 0; i < count; i++) await world.create({ schedule: EVERY_12_HOURS });
    await world.pass();
    world.clock.now = NOON + days * DAY;
    await world.expire(world.clock.now);
    return world;
  }

  /** The jobs with an entry beyond the cursor of dispatch. */
  async function planned({ store }: World): Promise<Set<string>> {
    const { entries, shards } = (store as MemoryStore).snapshot();
    const cursor = shards[0]?.dispatchedUntil ?? 0;
    return new Set(entries.filter(({ at }) => minuteOf(at) > cursor).map(({ jobId }) => jobId));
  }

  test('goes on where the last pass has ended, and nothing is dispatched before it has ended', async () => {
    const world = await withJobs(450);
    const { store } = world;
    const { dispatchedUntil } = (await store.readShard(0)) ?? {};
    const cursors: (string | undefined)[] = [];
    const { listAllHeads } = store;
    let stop = new AbortController();
    store.listAllHeads = async (options) => {
      cursors.push(options.cursor);
      if (cursors.length === 1) stop.abort();
      return listAllHeads.call(store, options);
    };
    await watch(world.context, [0], stop.signal);
    const held = await store.readShard(0);
    expect((await planned(world)).size).toBe(200);
    expect(held).toMatchObject({ dispatchedUntil, rebuild: { next: expect.any(String) } });

    stop = new AbortController();
    await watch(world.context, [0], stop.signal);
    expect(cursors).toEqual([undefined, held?.rebuild?.next, expect.any(String)]);
    const after = await store.readShard(0);
    expect(after?.rebuild).toStrictEqual({ beganAt: NOON + days * DAY });
    expect(after?.dispatchedUntil).toBeGreaterThan(minuteOf(world.clock.now));
    expect((await planned(world)).size).toBe(450);
  });

  test('that was interrupted for months begins anew, and one of a wrong clock does not count', async () => {
    const world = await withJobs(3);
    const { store, clock } = world;
    const token = (await store.readShard(0))?.token ?? '';
    for (const beganAt of [clock.now - 20 * DAY, clock.now + HOUR]) {
      await store.commitShard(0, token, { leaseUntil: 0, rebuild: { beganAt } });
      await world.expire(Number.POSITIVE_INFINITY);
      expect(await rebuild(world)).toBe(true);
      expect((await planned(world)).size).toBe(3);
      expect((await store.readShard(0))?.rebuild?.beganAt).toBe(clock.now);
    }
  });

  test('happens once, and not after a few days', async () => {
    const world = await withJobs(3);
    let scans = 0;
    const { listAllHeads } = world.store;
    world.store.listAllHeads = (options) => {
      scans++;
      return listAllHeads.call(world.store, options);
    };
    await catchUp(world);
    expect(scans).toBe(1);
    world.clock.now += 10 * DAY;
    await catchUp(world);
    expect(scans).toBe(1);
    world.clock.now += 16 * DAY;
    await catchUp(world);
    expect(scans).toBe(2);
  });

  test('leaves a job that it cannot compute to dispatch, and plans the others', async () => {
    const world = await withJobs(3);
    const store = world.store as MemoryStore;
    const [bad] = store.heads.all();
    if (!bad) throw new Error('there are no jobs');
    const schedule = { cron: '0 9 * * *', timezone: 'Mars/Olympus' };
    await store.updateHead(bad, { schedule, version: 2 });
    expect(await rebuild(world)).toBe(true);
    expect((await planned(world)).size).toBe(3);
    expect(world.errors).toEqual([expect.stringContaining(bad.jobId)]);
  });
});
