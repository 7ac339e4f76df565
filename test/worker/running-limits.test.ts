import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairShare } from '../../src/concurrency/fair-share.ts';
import { ownerHash } from '../../src/domain/digest.ts';
import { NO_LIMITS } from '../../src/domain/jobs/owner-limits.ts';
import { createLimitValues } from '../../src/jobs/limits/limit-values.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { MAX_PLACE_WAIT_MS, PLACE_WAIT_MS, Places } from '../../src/worker/places.ts';
import { createRunningLimits, partOf } from '../../src/worker/running-limits.ts';
import { BEAT_MS } from '../../src/worker/worker.ts';
import { NOON, StandingClock, settle } from '../support/standing-clock.ts';
import { type FakeMessage, message, start } from './harness.ts';

const limitOf = (runningExecutions: number) => ({ ...NO_LIMITS, runningExecutions });
const of = (owner: string, count: number) =>
  Array.from({ length: count }, () => message(NOON, undefined, owner));
const runningOf = (
  messages: readonly FakeMessage[],
  { running }: { running: ReadonlyMap<string, unknown> },
) => messages.filter(({ id }) => running.has(id)).length;

describe('the parts of a limit', () => {
  it('of all workers are the limit, and differ by at most one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 40 }),
        fc.string(),
        (limit, ids, owner) => {
          const workers = [...ids].sort();
          const parts = workers.map((id) => partOf(limit, workers, id, owner));
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(limit);
          expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('places with a limit per owner', () => {
  const placesOf = (size: number, max: Record<string, number>) => {
    const clock = new StandingClock();
    return { clock, places: new Places(size, clock, createFairShare(1), (owner) => max[owner] ?? size) };
  };

  it('gives an owner no more, however many are free, and passes on what it frees', async () => {
    const { places } = placesOf(100, { ann: 2 });
    expect([await places.acquire('ann'), await places.acquire('ann')]).toEqual([true, true]);
    const third = places.acquire('ann');
    expect(await places.acquire('bob')).toBe(true);
    expect(places.heldBy('ann')).toBe(2);
    places.release('ann', 5);
    expect(await third).toBe(true);
    expect(places.heldBy('ann')).toBe(2);
  });

  it('an owner at its limit does not keep others waiting', async () => {
    const { places } = placesOf(5, { ann: 1 });
    await places.acquire('ann');
    const ann = places.acquire('ann');
    for (let i = 0; i < 3; i++) expect(await places.acquire('bob')).toBe(true);
    expect(await places.acquire('cat')).toBe(true);
    const bob = places.acquire('bob');
    // ann holds fewest and waits longest, but must not have the place
    places.release('cat', 5);
    expect(await Promise.race([bob, settle().then(() => 'waits')])).toBe(true);
    places.release('ann', 5);
    expect(await ann).toBe(true);
  });

  it('a wait at the limit ends like any other, and closing ends it', async () => {
    const { places, clock } = placesOf(10, { ann: 1, bob: 0 });
    await places.acquire('ann');
    const waits = [places.acquire('ann'), places.acquire('bob')];
    await clock.advance(MAX_PLACE_WAIT_MS);
    expect(await Promise.all(waits)).toEqual([false, false]);
    const last = places.acquire('ann');
    places.close();
    expect(await last).toBe(false);
  });

  it('an owner at its limit expects a place only after its own short tasks, and one that may run none never', async () => {
    const { places } = placesOf(100, { ann: 2, bob: 0 });
    expect(places.isExpected('bob')).toBe(false);
    for (let i = 0; i < 2; i++) await places.acquire('ann');
    places.release('ann', 10);
    expect(places.isExpected('ann')).toBe(true);
    await places.acquire('ann');
    expect(places.isExpected('ann')).toBe(true);
    for (let i = 0; i < 50; i++) {
      places.release('ann', 10 * PLACE_WAIT_MS);
      await places.acquire('ann');
    }
    expect(places.isExpected('ann')).toBe(false);
  });

  it('random calls never exceed the limits, and every place is found again', async () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), release: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const max: Record<string, number> = { a: 1, b: 3, c: 0 };
        const { places, clock } = placesOf(6, max);
        const held: string[] = [];
        for (const { owner, release } of steps) {
          const index = held.indexOf(owner);
          if (release && index >= 0) {
            held.splice(index, 1);
            places.release(owner, 1);
          } else void places.acquire(owner).then((acquired) => acquired && held.push(owner));
          await settle();
          for (const name of ['a', 'b', 'c']) expect(places.heldBy(name)).toBeLessThanOrEqual(max[name] ?? 0);
        }
        await clock.advance(MAX_PLACE_WAIT_MS);
        for (const owner of held.splice(0)) places.release(owner, 1);
        expect(places.free).toBe(6);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a worker with a limit of running executions', () => {
  it('runs as many, returns the others later and later, and runs them when it has room', async () => {
    const { receiver, fake, clock } = start({ concurrency: 50, limits: limitOf(5) });
    const flood = of('ann', 12);
    receiver.put(...flood);
    await clock.advance(MAX_PLACE_WAIT_MS);
    expect(runningOf(flood, fake)).toBe(5);
    const returned = flood.filter(({ fate }) => fate.length > 0);
    expect(returned).toHaveLength(7);
    for (const { fate } of returned) expect(fate).toEqual(['hidden 750']);
    const bob = of('bob', 5);
    receiver.put(...bob);
    await clock.advance(1);
    expect(runningOf(bob, fake)).toBe(5);
    const often = { ...message(NOON, undefined, 'ann'), receiveCount: 400 };
    receiver.put(often);
    await clock.advance(2 * MAX_PLACE_WAIT_MS);
    // hidden, neither dead-lettered nor deleted
    expect(often.fate).toEqual(['hidden 22500']);
    fake.endAll();
    await settle();
    const again = of('ann', 3);
    receiver.put(...again);
    await clock.advance(1);
    expect(runningOf(again, fake)).toBe(3);
  });

  it('waits for the limit that an operator has set before it starts a backlog of the owner', async () => {
    const started: string[] = [];
    const { receiver, clock, store } = start({
      ...{ concurrency: 50, limits: limitOf(40) },
      async handleMessage(_context, { places }, received) {
        places.ownedBy('ann');
        if (!(await places.acquire())) return received.setVisibility(0);
        started.push(received.body);
        await new Promise(() => {});
      },
    });
    const limits = { limits: { runningExecutions: 2 }, updatedAt: NOON, updatedBy: 'op' };
    let reads = 0;
    const readLimits: Store['readLimits'] = async () => {
      reads++;
      await clock.sleep(20);
      return limits;
    };
    Object.assign(store, { readLimits });
    receiver.put(...of(ownerHash('ann'), 10));
    await clock.advance(MAX_PLACE_WAIT_MS);
    expect([started.length, reads]).toEqual([2, 1]);
  });

  it('has no limit if there is none', async () => {
    const { receiver, fake, clock } = start({ concurrency: 50, limits: limitOf(0), ownerShare: 1 });
    const flood = of('ann', 50);
    receiver.put(...flood);
    for (let i = 0; i < 20; i++) await clock.advance(50);
    expect(runningOf(flood, fake)).toBe(50);
  });
});

describe('two workers on one store', () => {
  it('together run as many as the limit allows, and one alone runs all of them', async () => {
    const shared = new MemoryStore({ shards: 4 });
    const workers = ['w1', 'w2'].map((workerId) =>
      start({ workerId, concurrency: 50, limits: limitOf(7) }, shared),
    );
    await settle();
    for (const { clock } of workers) await clock.advance(BEAT_MS);
    const floods = workers.map(({ receiver }) => {
      const flood = of('ann', 20);
      receiver.put(...flood);
      return flood;
    });
    for (const { clock } of workers) await clock.advance(MAX_PLACE_WAIT_MS);
    const counts = workers.map(({ fake }, i) => runningOf(floods[i] ?? [], fake));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(7);
    expect(counts).toContain(3);

    const [first, second] = workers;
    second?.fake.endAll();
    await second?.worker.stop({ deadlineMs: 0 });
    await first?.clock.advance(BEAT_MS);
    first?.receiver.put(...of('ann', 10));
    await first?.clock.advance(MAX_PLACE_WAIT_MS);
    expect(first?.fake.running.size).toBe(7);
  });

  it('apply a limit that an operator has set within a minute', async () => {
    const shared = new MemoryStore({ shards: 4 });
    const clock = new StandingClock();
    const context = { ...start({}, shared).context, clock, store: shared };
    const limits = createRunningLimits(context, createLimitValues(context, limitOf(100)), 'w1');
    const owner = ownerHash('alice');
    expect(limits.maxOf(owner)).toBe(100);
    await shared.putLimits('alice', { limits: { runningExecutions: 4 }, updatedAt: NOON, updatedBy: 'op' });
    limits.learn(owner, 'alice');
    limits.maxOf(owner);
    await settle();
    expect(limits.maxOf(owner)).toBe(4);
    await shared.putLimits('alice', { limits: { runningExecutions: 0 }, updatedAt: NOON, updatedBy: 'op' });
    await clock.advance(60_000);
    limits.maxOf(owner);
    await settle();
    expect(limits.maxOf(owner)).toBe(Number.POSITIVE_INFINITY);
  });

  it('keep the last list of workers if it cannot be read, and an embedded server reads none', async () => {
    const shared = new MemoryStore({ shards: 4 });
    for (const workerId of ['w1', 'w2'])
      await shared.putWorker({ workerId, host: '', startedAt: NOON, beatAt: NOON, running: [] });
    const context = { ...start({}, shared).context, clock: new StandingClock(), store: shared };
    const limits = createRunningLimits(context, createLimitValues(context, limitOf(10)), 'w1');
    await limits.refresh();
    expect(limits.maxOf('x')).toBe(5);
    shared.listWorkers = () => Promise.reject(new Error('no answer'));
    await limits.refresh();
    expect(limits.maxOf('x')).toBe(5);
    const embedded = { ...context, boot: 'b', settings: DEFAULT_SETTINGS };
    const alone = createRunningLimits(embedded, createLimitValues(context, limitOf(10)), 'w1');
    await alone.refresh();
    expect(alone.maxOf('x')).toBe(10);
  });
});
