// An early claim starts at its fire time without another read, because a change of the job returns later. An unusual case is
// checked before the start, or the claim is undone.
import { describe, expect, test } from 'vitest';
import { asUser } from '../../src/domain/principal.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { pauseJob, resumeJob } from '../../src/jobs/pause-job.ts';
import { getExecution } from '../../src/queries/get-execution.ts';
import { CHANGE_RETURNS_AFTER_MS } from '../../src/scheduling/claiming/change-returns.ts';
import { claim, prepare } from '../../src/scheduling/claiming/claim.ts';
import { claimEarly } from '../../src/scheduling/claiming/claim-early.ts';
import { type AcquiredHold, confirmStart, undoClaim } from '../../src/scheduling/claiming/confirm-start.ts';
import { newRow } from '../../src/scheduling/records/write-row.ts';
import { standingWorld } from '../support/standing-world.ts';

const ANN = asUser('ann');

/** A job that is due in a minute, at half a second before its fire time. */
async function beforeItsTime(spec: Record<string, unknown> = {}) {
  const world = standingWorld();
  const { context, store } = world;
  const jobId = await world.create({ schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' }, ...spec });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  world.now = message.fireAt - 500;
  const take = async () => {
    const prepared = await prepare(context, message);
    return prepared && claimEarly(context, 'worker', message, prepared);
  };
  const head = () => store.readHead(jobId, { consistent: true });
  const row = () => store.readRow(jobId, message.due, { consistent: true });
  const itsTime = () => {
    world.now = message.fireAt;
  };
  return { world, context, store, jobId, message, take, head, row, itsTime };
}

function taken(answer: AcquiredHold | undefined): AcquiredHold {
  if (!answer) throw new Error('it was not taken');
  return answer;
}

test('an early claim holds the job, and starts at the fire time', async () => {
  const { context, take, head, itsTime, message, jobId } = await beforeItsTime();
  const mine = taken(await take());
  expect((await head())?.hold).toMatchObject({ due: message.due, workerId: 'worker', attempt: 1 });
  expect((await getExecution(context, ANN, `${jobId}.${message.due}`)).status).not.toBe('running');
  itsTime();
  const answer = await confirmStart(context, mine, undefined);
  expect(answer).toMatchObject({ kind: 'run', claimed: { hold: { attempt: 1 } } });
  expect((await getExecution(context, ANN, `${jobId}.${message.due}`)).status).toBe('running');
});

describe('a change of a job that may have an early claim', () => {
  type Change = (...args: Parameters<typeof pauseJob>) => Promise<unknown>;
  const changes: [string, Change][] = [
    ['pause', pauseJob],
    ['edit', (context, who, jobId) => editJob(context, who, jobId, { params: { durationMs: 1 } })],
    ['cancel of the job', cancelJob],
    [
      'cancel of the execution',
      async (context, who, jobId) => {
        const head = await context.store.readHead(jobId, { consistent: true });
        return cancelExecution(context, who, `${jobId}.${head?.hold?.due}`);
      },
    ],
  ];

  /** How long it slept after its last write. */
  async function returnsAfter(
    { context, store, jobId }: Awaited<ReturnType<typeof beforeItsTime>>,
    change: Change,
  ): Promise<number> {
    let slept = 0;
    const update = store.updateHead.bind(store);
    store.updateHead = (...args) => {
      slept = 0;
      return update(...args);
    };
    const sleep = async (ms: number) => {
      slept += ms;
    };
    await change({ ...context, clock: { ...context.clock, sleep } }, ANN, jobId);
    return slept;
  }

  test.each(changes)('%s: returns after the claim would have started', async (_name, change) => {
    const world = await beforeItsTime();
    taken(await world.take());
    expect(await returnsAfter(world, change)).toBe(CHANGE_RETURNS_AFTER_MS);
    expect(await returnsAfter(world, change), 'a second time too').toBe(CHANGE_RETURNS_AFTER_MS);
  });

  test.each(changes)('%s: returns late while the claim may wait for a run slot', async (_name, change) => {
    const world = await beforeItsTime();
    taken(await world.take());
    world.itsTime();
    world.world.now += world.context.settings.heartbeatMs;
    expect(await returnsAfter(world, change)).toBe(CHANGE_RETURNS_AFTER_MS);
  });

  test.each(changes)(
    '%s: returns at once if a heartbeat shows that the run has started',
    async (_name, change) => {
      const world = await beforeItsTime();
      const { hold, place } = taken(await world.take());
      world.itsTime();
      const { heartbeatMs, leaseMs } = world.context.settings;
      world.world.now += heartbeatMs;
      await world.store.heartbeat(world.jobId, place, hold.token, world.world.now + leaseMs, 'beat');
      expect(await returnsAfter(world, change)).toBe(0);
    },
  );

  test.each(changes)('%s: returns at once if the lease is over', async (_name, change) => {
    const world = await beforeItsTime();
    taken(await world.take());
    const { leaseMs, clockSkewMs } = world.context.settings;
    world.world.now += leaseMs + clockSkewMs + 1;
    expect(await returnsAfter(world, change)).toBe(0);
  });

  test.each(changes.slice(0, 3))('%s: returns at once when it has ended', async (_name, change) => {
    const world = await beforeItsTime();
    const { hold, head, message } = taken(await world.take());
    world.itsTime();
    const row = newRow(head, message.due, message.revision, 'SUCCEEDED');
    await world.store.insertRow({ ...row, fence: hold.token, attempt: 1 });
    expect(await returnsAfter(world, change)).toBe(0);
  });

  test.each(changes.slice(0, 3))('%s: with overlap: allow it always returns late', async (_name, change) => {
    const world = await beforeItsTime({ overlap: 'allow' });
    expect(await returnsAfter(world, change)).toBe(CHANGE_RETURNS_AFTER_MS);
  });

  test.each(changes.slice(0, 3))('%s: returns at once when nobody holds it', async (_name, change) => {
    expect(await returnsAfter(await beforeItsTime(), change)).toBe(0);
  });
});

describe('a claim that is withdrawn before its start does not start, and is undone', () => {
  test.each([
    ['paused', pauseJob],
    [
      'paused and resumed',
      async (...args: Parameters<typeof pauseJob>) => {
        await pauseJob(...args);
        return resumeJob(...args);
      },
    ],
    [
      'edited',
      (...[context, who, jobId]: Parameters<typeof pauseJob>) =>
        editJob(context, who, jobId, { schedule: { every: 'PT5M' } }),
    ],
  ])('%s', async (_name, withdraw) => {
    const { world, context, take, jobId, head, row, itsTime } = await beforeItsTime();
    const mine = taken(await take());
    await withdraw(context, ANN, jobId);
    itsTime();
    world.now += CHANGE_RETURNS_AFTER_MS;
    expect(await confirmStart(context, mine, undefined)).toEqual({ kind: 'drop' });
    expect((await head())?.hold).toBeUndefined();
    expect(await row()).toBeUndefined();
  });
});

test('a withdrawn claim is checked again if the head is written just before the undo', async () => {
  const { world, context, store, take, jobId, head, itsTime } = await beforeItsTime();
  const mine = taken(await take());
  await pauseJob(context, ANN, jobId);
  itsTime();
  world.now += CHANGE_RETURNS_AFTER_MS;
  const update = store.updateHead.bind(store);
  store.updateHead = async (...args) => {
    store.updateHead = update;
    await editJob(context, ANN, jobId, { tags: { written: 'meanwhile' } });
    return update(...args);
  };
  expect(await confirmStart(context, mine, undefined)).toEqual({ kind: 'drop' });
  expect((await head())?.hold).toBeUndefined();
});

describe('the takeover of a claim that was withdrawn before its fire time and whose worker is lost', () => {
  const PAST_LEASE_MS = 60_000;

  test.each([
    ['paused', (...args: Parameters<typeof pauseJob>) => pauseJob(...args)],
    [
      'edited',
      (...[context, who, jobId]: Parameters<typeof pauseJob>) =>
        editJob(context, who, jobId, { schedule: { every: 'PT5M' } }),
    ],
  ])('does not start it: %s', async (_name, withdraw) => {
    const { world, context, take, jobId, message, row } = await beforeItsTime();
    taken(await take());
    await withdraw(context, ANN, jobId);
    world.now = message.fireAt + PAST_LEASE_MS;
    expect(await claim(context, 'another', message)).toEqual({ kind: 'drop' });
    expect(await row()).toMatchObject({
      status: 'CANCELLED',
      reason: 'withdrawn while its worker was lost',
      attempt: 1,
    });
  });

  test('leaves the occurrence to the schedule in force, if that has planned it too', async () => {
    const { world, context, take, jobId, message, row } = await beforeItsTime();
    taken(await take());
    const schedule = { every: 'PT30S', startAt: new Date(message.fireAt).toISOString() };
    await editJob(context, ANN, jobId, { schedule });
    const own = world.sent.find(({ due, revision }) => due === message.due && revision !== message.revision);
    if (!own) throw new Error('the new schedule has not planned it');
    world.now = message.fireAt + PAST_LEASE_MS;
    expect(await claim(context, 'another', message)).toEqual({ kind: 'drop' });
    expect(await row()).toBeUndefined();
    expect(await claim(context, 'another', own)).toMatchObject({ kind: 'run' });
  });

  test('runs it again if the pause came after the start by every clock', async () => {
    const { world, context, take, jobId, message } = await beforeItsTime();
    taken(await take());
    world.now = message.fireAt + context.settings.clockSkewMs;
    await pauseJob(context, ANN, jobId);
    world.now = message.fireAt + PAST_LEASE_MS;
    expect(await claim(context, 'another', message)).toMatchObject({
      kind: 'run',
      claimed: { hold: { attempt: 2 } },
    });
  });
});

test.each([
  [
    'the execution',
    (context: Parameters<typeof cancelJob>[0], jobId: string, due: string) =>
      cancelExecution(context, ANN, `${jobId}.${due}`),
  ],
  ['the job', (context: Parameters<typeof cancelJob>[0], jobId: string) => cancelJob(context, ANN, jobId)],
])('%s cancelled while it waited: it does not start, and its row says so', async (_what, cancel) => {
  const { world, context, take, jobId, message, row, itsTime } = await beforeItsTime();
  const mine = taken(await take());
  await cancel(context, jobId, message.due);
  itsTime();
  world.now += CHANGE_RETURNS_AFTER_MS;
  expect(await confirmStart(context, mine, undefined)).toEqual({ kind: 'drop' });
  expect(await row()).toMatchObject({
    status: 'CANCELLED',
    reason: 'cancelled before it started',
    attempt: 0,
  });
});

test('a claim that gets its run slot so late that its misfire policy decides is undone and claimed again', async () => {
  const misfire = { policy: 'skip', graceSeconds: 2 };
  const { world, context, take, head, itsTime } = await beforeItsTime({ misfire });
  const mine = taken(await take());
  itsTime();
  world.now += 2_500;
  expect(await confirmStart(context, mine, undefined)).toEqual({ kind: 'retry' });
  expect((await head())?.hold).toBeUndefined();
});

test('another worker can claim the job at once after an undo, as the first attempt', async () => {
  const { context, take, message, itsTime } = await beforeItsTime({ retry: { maxAttempts: 2 } });
  await undoClaim(context, taken(await take()));
  itsTime();
  expect(await claim(context, 'another', message)).toMatchObject({
    kind: 'run',
    claimed: { hold: { workerId: 'another', attempt: 1 } },
  });
});

test('an undo restores the hold that had ended before', async () => {
  const { world, context, store, take, message, head, itsTime } = await beforeItsTime();
  itsTime();
  const first = await claim(context, 'worker', message);
  if (first.kind !== 'run') throw new Error('it did not run');
  const { claimed } = first;
  await store.insertRow({
    jobId: claimed.head.jobId,
    due: message.due,
    userId: 'ann',
    status: 'SUCCEEDED',
    revision: message.revision,
    fence: claimed.hold.token,
    attempt: 1,
    maxAttempts: 3,
  });
  const before = await head();
  const [, second] = world.sent;
  if (!second) throw new Error('its second occurrence was not sent');
  world.now = second.fireAt - 500;
  const prepared = await prepare(context, second);
  await undoClaim(context, taken(prepared && (await claimEarly(context, 'worker', second, prepared))));
  expect((await head())?.hold).toEqual(before?.hold);
  expect(await take(), 'what has ended is not taken again').toBeUndefined();
});

test('an undo succeeds although the head was changed since the claim', async () => {
  const { context, take, jobId, head } = await beforeItsTime();
  const mine = taken(await take());
  await editJob(context, ANN, jobId, { params: { durationMs: 1 } });
  await undoClaim(context, mine);
  expect((await head())?.hold).toBeUndefined();
});

test('a claim whose lease has ended and that was taken over does not start', async () => {
  const { world, context, take, message, head } = await beforeItsTime();
  const mine = taken(await take());
  world.now = message.fireAt + 60_000;
  expect(await claim(context, 'another', message)).toMatchObject({ kind: 'run' });
  expect(await confirmStart(context, mine, undefined)).toMatchObject({ kind: 'later' });
  expect((await head())?.hold).toMatchObject({ workerId: 'another' });
});

test('a claim with a lost response is found by the check before the start, and by the undo', async () => {
  const { context, store, take, itsTime, head } = await beforeItsTime();
  const update = store.updateHead.bind(store);
  const read = store.readHead.bind(store);
  store.updateHead = async (...args) => {
    await update(...args);
    store.readHead = async () => {
      store.readHead = read;
      throw new Error('no answer either');
    };
    throw new Error('no answer');
  };
  const perhaps = taken(await take());
  store.updateHead = update;
  itsTime();
  expect(await confirmStart(context, perhaps, undefined)).toMatchObject({ kind: 'run' });
  await undoClaim(context, perhaps);
  expect((await head())?.hold).toBeUndefined();
});

test('an undo is retried if the store fails', async () => {
  const { context, store, take, head } = await beforeItsTime();
  const mine = taken(await take());
  const read = store.readHead.bind(store);
  let failures = 3;
  store.readHead = async (...args) => {
    if (failures-- > 0) throw new Error('no answer');
    return read(...args);
  };
  await undoClaim(context, mine);
  expect((await head())?.hold).toBeUndefined();
});

test('after an edit that keeps the occurrence, its message comes back soon, not at the end of the lease', async () => {
  const { world, context, take, jobId, message, itsTime } = await beforeItsTime();
  taken(await take());
  await pauseJob(context, ANN, jobId);
  await resumeJob(context, ANN, jobId);
  const renewed = world.sent.find(
    ({ due, revision }) => due === message.due && revision !== message.revision,
  );
  if (!renewed) throw new Error('the occurrence was not planned again');
  itsTime();
  expect(await claim(context, 'another', renewed)).toEqual({ kind: 'later', at: world.now + 1000 });
});

describe('no early claim', () => {
  test.each([
    ['of a job with one attempt: nobody could tell whether it had started', { retry: { maxAttempts: 1 } }],
    ['with a hold of its own beside others', { overlap: 'allow' }],
  ])('%s', async (_why, spec) => {
    const { take, head } = await beforeItsTime(spec);
    const before = await head();
    expect(await take()).toBeUndefined();
    expect(await head()).toEqual(before);
  });

  test('while another execution runs, because the skip is decided at the fire time', async () => {
    const { world, context, message } = await beforeItsTime();
    world.now = message.fireAt;
    expect(await claim(context, 'worker', message)).toMatchObject({ kind: 'run' });
    const [, second] = world.sent;
    if (!second) throw new Error('its second occurrence was not sent');
    const prepared = await prepare(context, second);
    expect(prepared && (await claimEarly(context, 'worker', second, prepared))).toBeUndefined();
  });
});
