// Attempts count starts: what a worker writes before it dies, without having started, is no attempt.
import { describe, expect, test } from 'vitest';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { claimStepByStep, type Store } from '../../src/store/store.ts';
import { claimedOf, MINUTE, standingWorld } from '../support/standing-world.ts';
import { beforeNext } from '../support/store-faults.ts';

/** A worker that is killed when it calls `method`, before the call has an effect or after it. */
function dying(context: Context, method: keyof Store, hasEffect: boolean): Context {
  let dead = false;
  const store: Store = new Proxy(context.store, {
    get(target, name) {
      if (name === 'claim') return (writes: Parameters<Store['claim']>[0]) => claimStepByStep(store, writes);
      const member = Reflect.get(target, name);
      return async (...args: unknown[]) => {
        if (dead) throw new Error('killed');
        if (name !== method) return member.apply(target, args);
        dead = true;
        if (hasEffect) await member.apply(target, args);
        throw new Error('killed');
      };
    },
  });
  return { ...context, store };
}

async function job(overlap: string, maxAttempts: number) {
  const world = standingWorld();
  await world.create({
    overlap,
    schedule: { every: 'PT10M', startAt: '2026-12-01T12:01:00Z' },
    retry: { maxAttempts },
  });
  const [message] = world.sent;
  if (!message) throw new Error('nothing was sent');
  const { context } = world;
  world.now = message.fireAt;
  const dies = async (method: keyof Store, hasEffect: boolean) => {
    await expect(claim(dying(context, method, hasEffect), 'killed', message)).rejects.toThrow('killed');
    world.now += MINUTE;
  };
  const row = () => world.row(message);
  const lost = async () => {
    claimedOf(await claim(context, 'lost', message));
    world.now += MINUTE;
  };
  return { world, context, message, row, dies, lost };
}

describe.each(['skip', 'queue'])('overlap: %s', (overlap) => {
  test('a worker that dies between row and lock has consumed no attempt', async () => {
    const { context, message, row, dies } = await job(overlap, 1);
    for (let i = 0; i < 3; i++) {
      await dies('takeLock', false);
      expect(row()).toMatchObject({ status: 'RUNNING', attempt: 1 });
    }
    const { row: opened } = claimedOf(await claim(context, 'fourth', message));
    expect(opened).toMatchObject({ status: 'RUNNING', attempt: 1, maxAttempts: 1 });
  });

  test('neither has one that dies between the row of a takeover and the lock', async () => {
    const { context, message, row, dies, lost } = await job(overlap, 3);
    await lost();
    await dies('takeLock', false);
    await dies('takeLock', false);
    claimedOf(await claim(context, 'third', message));
    expect(row()).toMatchObject({ status: 'RUNNING', attempt: 2, maxAttempts: 3 });
    expect(row()?.attempts).toMatchObject([{ attempt: 1, workerId: 'lost' }]);
  });

  test('one that dies after it has the lock has consumed one, because it may have started', async () => {
    const { context, message, row, dies } = await job(overlap, 1);
    await dies('takeLock', true);
    expect(await claim(context, 'next', message)).toEqual({ kind: 'drop' });
    expect(row()).toMatchObject({ status: 'FAILED', attempt: 1, error: { name: 'WorkerLost' } });
  });
});

describe('overlap: allow', () => {
  test('a worker that dies before its row is open has consumed no attempt', async () => {
    const { context, message, dies } = await job('allow', 1);
    await dies('insertRow', false);
    expect(claimedOf(await claim(context, 'next', message)).row).toMatchObject({ attempt: 1 });
  });

  test('one that has opened its row has consumed one, because there is no lock to ask', async () => {
    const { context, message, row, dies } = await job('allow', 1);
    await dies('insertRow', true);
    expect(await claim(context, 'next', message)).toEqual({ kind: 'drop' });
    expect(row()).toMatchObject({
      status: 'FAILED',
      attempt: 1,
      maxAttempts: 1,
      error: { name: 'WorkerLost', message: 'the worker of attempt 1 of 1 stopped answering' },
    });
  });
});

test('a heartbeat that arrives just before a takeover keeps the execution', async () => {
  const { world, context, message, row, lost } = await job('skip', 1);
  await lost();
  const { number = 0 } = row() ?? {};
  beforeNext(world.store, 'updateRow', () =>
    world.store.extendLease(message, number, world.now + 10_000, undefined),
  );
  expect(await claim(context, 'another', message)).toMatchObject({ kind: 'later' });
  expect(row()).toMatchObject({ status: 'RUNNING', number, workerId: 'lost' });
});
