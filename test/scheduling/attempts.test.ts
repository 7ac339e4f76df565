// Attempts count starts: what a worker writes before it dies, without having started, is no attempt.
import { describe, expect, test } from 'vitest';
import { asUser } from '../../src/domain/principal.ts';
import { runNow } from '../../src/jobs/manual-runs.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { MINUTE, standingWorld } from '../support/standing-world.ts';

describe.each(['skip', 'allow'])('overlap: %s', (overlap) => {
  async function job(maxAttempts: number) {
    const world = standingWorld();
    const jobId = await world.create({
      overlap,
      schedule: { every: 'PT10M', startAt: '2026-12-01T12:01:00Z' },
      retry: { maxAttempts },
    });
    const [message] = world.sent;
    if (!message) throw new Error('nothing was sent');
    const { context, store } = world;
    world.now = message.fireAt;
    /** Takes over, and dies before the row is written. */
    const diesBetweenItsWrites = async () => {
      world.now += MINUTE;
      const insert = store.insertRow.bind(store);
      store.insertRow = () => Promise.reject(new Error('killed'));
      await expect(claim(context, 'killed', message)).rejects.toThrow('killed');
      store.insertRow = insert;
      world.now += MINUTE;
    };
    const row = () => store.readRow(jobId, message.due, { consistent: true });
    return { context, message, row, diesBetweenItsWrites };
  }

  test('a taker that dies between its two writes has consumed no attempt', async () => {
    const { context, message, row, diesBetweenItsWrites } = await job(3);
    expect(await claim(context, 'lost', message)).toMatchObject({ kind: 'run' });
    await diesBetweenItsWrites();
    await diesBetweenItsWrites();
    expect(await claim(context, 'third', message)).toMatchObject({
      kind: 'run',
      claimed: { hold: { attempt: 2 } },
    });
    expect(await row()).toMatchObject({ status: 'RUNNING', attempt: 2, maxAttempts: 3 });
  });

  test('with one attempt allowed, the first is the one that failed', async () => {
    const { context, message, row, diesBetweenItsWrites } = await job(1);
    expect(await claim(context, 'lost', message)).toMatchObject({ kind: 'run' });
    await diesBetweenItsWrites();
    expect(await claim(context, 'third', message)).toEqual({ kind: 'drop' });
    expect(await row()).toMatchObject({
      status: 'FAILED',
      attempt: 1,
      maxAttempts: 1,
      error: { name: 'WorkerLost', message: 'the worker of attempt 1 of 1 stopped answering' },
    });
  });
});

test('a row that is read before the lease is over says nothing about the last attempt', async () => {
  const world = standingWorld();
  const { context, store } = world;
  const jobId = await world.create({
    overlap: 'skip',
    retry: { maxAttempts: 1 },
    schedule: { every: 'PT10M' },
  });
  await runNow(context, asUser('ann'), jobId);
  const message = world.sent.at(-1);
  if (!message) throw new Error('nothing was sent');
  // the first worker's write of the row is slow; it is there just before the lease ends, and the run starts
  const update = store.updateRow.bind(store);
  let late: (() => Promise<boolean>) | undefined;
  store.updateRow = (seen, row) => {
    late = () => update(seen, row);
    return Promise.reject(new Error('no answer yet'));
  };
  await expect(claim(context, 'slow', message)).rejects.toThrow('no answer yet');
  store.updateRow = update;
  const { hold } = (await store.readHead(jobId, { consistent: true })) ?? {};
  world.now = (hold?.leaseUntil ?? 0) - context.settings.clockSkewMs;
  // another worker reads the row before that, and gets its answer when the lease is over
  const read = store.readRow.bind(store);
  store.readRow = async (...args) => {
    const row = await read(...args);
    store.readRow = read;
    expect(await late?.()).toBe(true);
    world.now += MINUTE;
    return row;
  };
  expect(await claim(context, 'another', message)).toEqual({ kind: 'drop' });
  expect(await store.readRow(jobId, message.due, { consistent: true })).toMatchObject({
    status: 'FAILED',
    attempt: 1,
    error: { name: 'WorkerLost' },
  });
});

test('a row that is fenced after another has taken over names an attempt that did not begin', async () => {
  const world = standingWorld();
  const { context, store } = world;
  const jobId = await world.create({
    overlap: 'skip',
    retry: { maxAttempts: 1 },
    schedule: { every: 'PT10M' },
  });
  await runNow(context, asUser('ann'), jobId);
  const message = world.sent.at(-1);
  if (!message) throw new Error('nothing was sent');
  // the first worker's write of the row is under way for longer than its lease; the second is killed before its own
  const update = store.updateRow.bind(store);
  let late: (() => Promise<boolean>) | undefined;
  store.updateRow = (seen, row) => {
    if (late) return Promise.reject(new Error('killed'));
    late = () => update(seen, row);
    return Promise.reject(new Error('no answer'));
  };
  await expect(claim(context, 'slow', message)).rejects.toThrow('no answer');
  world.now += MINUTE;
  await expect(claim(context, 'killed', message)).rejects.toThrow('killed');
  store.updateRow = update;
  expect(await late?.()).toBe(true);
  world.now += MINUTE;
  expect(await claim(context, 'third', message)).toMatchObject({
    kind: 'run',
    claimed: { hold: { attempt: 1 } },
  });
});
