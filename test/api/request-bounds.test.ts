// One user cannot occupy the containers of all: the rate over all containers, requests that take long, and the deadline.
import { describe, expect, it } from 'vitest';
import { Unavailable } from '../../src/api/http/request-errors.ts';
import { boundRequests, REQUEST_DEADLINE_MS, refuseAfterEnd } from '../../src/api/request-bounds.ts';
import { QuotaExceeded } from '../../src/domain/errors.ts';
import { NO_LIMITS } from '../../src/domain/jobs/owner-limits.ts';
import { createQuotas } from '../../src/jobs/enforce-quotas.ts';
import { createClients } from '../../src/runtime/aws-clients.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { MemoryQueue } from '../support/memory-queue.ts';
import { testApi } from './api.ts';

const PER_SECOND = 50;
const WINDOW_MS = 2_000;
const MOST_PER_WINDOW = 2 * PER_SECOND;

const statusesOf = (answers: readonly { status: number }[]) => ({
  ok: answers.filter(({ status }) => status === 200).length,
  refused: answers.filter(({ status }) => status === 429).length,
});

describe('requestsPerSecond over all containers', () => {
  const containersWith = (count: number) => {
    const store = new MemoryStore({ shards: DEFAULT_SETTINGS.shards });
    const one = () => testApi({ limits: { requestsPerSecond: PER_SECOND }, store, bounded: true });
    return Array.from({ length: count }, one);
  };

  // Each container alone lets a burst of 100 through, so 100 of them would let everything through.
  it.each([1, 10, 100])(
    'a flood on %i containers is refused above the limit, and nobody else is',
    async (count) => {
      const containers = containersWith(count);
      const flood = await Promise.all(
        Array.from({ length: 2_000 }, (_, i) => containers[i % count]?.call('GET', '/tasks')),
      );
      const answers = flood.filter((answer) => answer !== undefined);
      const { ok, refused } = statusesOf(answers);
      // processes reserve in blocks, and give up what they have not used
      expect(ok).toBeLessThanOrEqual(MOST_PER_WINDOW);
      expect(ok).toBeGreaterThanOrEqual(MOST_PER_WINDOW / 2);
      expect(refused).toBe(2_000 - ok);
      const no = answers.find(({ status }) => status === 429);
      expect(no?.body).toMatchObject({ limit: { name: 'requestsPerSecond', value: PER_SECOND } });
      expect(Number(no?.headers['retry-after'])).toBeGreaterThan(0);

      const others = await Promise.all(
        containers.slice(0, MOST_PER_WINDOW / 2).map(({ call }) => call('GET', '/tasks', { user: 'bob' })),
      );
      expect(statusesOf(others).refused).toBe(0);
      for (const { tick } of containers) tick(WINDOW_MS);
      expect((await containers[0]?.call('GET', '/tasks'))?.status).toBe(200);
    },
  );

  it('costs one write for a single request, and few for many in one container', async () => {
    const store = new MemoryStore({ shards: DEFAULT_SETTINGS.shards });
    let writes = 0;
    const take = store.takeFromQuota.bind(store);
    store.takeFromQuota = async (...given) => {
      writes++;
      return take(...given);
    };
    const { call } = testApi({ limits: { requestsPerSecond: PER_SECOND }, store, bounded: true });
    await call('GET', '/tasks');
    expect(writes).toBe(1);
    for (let i = 1; i < 40; i++) await call('GET', '/tasks');
    expect(writes).toBeLessThanOrEqual(6);
  });

  it('a store that fails is no reason to refuse', async () => {
    const store = new MemoryStore({ shards: DEFAULT_SETTINGS.shards });
    store.takeFromQuota = () => Promise.reject(new Error('throttled'));
    const { call } = testApi({ limits: { requestsPerSecond: PER_SECOND }, store, bounded: true });
    expect((await call('GET', '/tasks')).status).toBe(200);
  });
});

/** A clock of all containers. Time passes in `advance` only. */
function virtualClock() {
  let now = Date.parse('2026-11-16T12:00:00.000Z');
  let sleepers: { at: number; wake: () => void }[] = [];
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: (ms: number, signal?: Parameters<Context['clock']['sleep']>[1]) =>
        new Promise<void>((resolve) => {
          if (signal?.aborted) return resolve();
          const sleeper = { at: now + ms, wake: resolve };
          sleepers.push(sleeper);
          signal?.addEventListener('abort', () => {
            sleepers = sleepers.filter((one) => one !== sleeper);
            resolve();
          });
        }),
    },
    async advance(ms: number) {
      const until = now + ms;
      for (;;) {
        await settle();
        const next = Math.min(...sleepers.map(({ at }) => at));
        if (next > until) break;
        now = next;
        const due = sleepers.filter(({ at }) => at <= now);
        sleepers = sleepers.filter(({ at }) => at > now);
        for (const { wake } of due) wake();
      }
      now = until;
      await settle();
    },
  };
}

describe('requests that take long', () => {
  function service() {
    const { clock, advance } = virtualClock();
    const store = new MemoryStore({ shards: DEFAULT_SETTINGS.shards });
    const context: Context = {
      store,
      clock,
      queue: new MemoryQueue(),
      random: { id: (length) => 'x'.repeat(length), float: () => 0.5 },
      log: createLog('silent'),
      settings: DEFAULT_SETTINGS,
    };
    /** Lambda starts a container if all others are busy. */
    const idle: ReturnType<typeof boundRequests>[] = [];
    let underWay = 0;
    const seen = { most: 0, ok: 0, refused: 0, ended: 0 };
    const send = async (userId: string, work: () => Promise<void>): Promise<void> => {
      const container =
        idle.pop() ??
        boundRequests(createQuotas(context, { ...NO_LIMITS, requestsPerSecond: PER_SECOND }), clock);
      let isAdmitted = false;
      try {
        await container(userId, async () => {
          isAdmitted = true;
          underWay++;
          seen.most = Math.max(seen.most, underWay);
          await work();
        });
        seen.ok++;
      } catch (error) {
        if (error instanceof QuotaExceeded) seen.refused++;
        else if (error instanceof Unavailable) seen.ended++;
        else throw error;
      } finally {
        // the container is free, also if the work would go on
        if (isAdmitted) underWay--;
        idle.push(container);
      }
    };
    return { clock, advance, send, seen };
  }

  it.each([
    ['35 requests per second', 35, 1],
    ['1,000 requests per second', 1_000, 1],
    ['300 at once, every five seconds', 60, 300],
  ])('one user with %s of 29 s each occupies few containers', async (_, perSecond, atOnce) => {
    const attack = service();
    const stepMs = (1_000 * atOnce) / perSecond;
    for (let at = 0; at < 20_000; at += stepMs) {
      for (let i = 0; i < atOnce; i++) void attack.send('mallory', () => attack.clock.sleep(29_000));
      await attack.advance(stepMs);
    }
    expect(attack.seen.most).toBeLessThanOrEqual(4 * PER_SECOND);
    expect(attack.seen.refused).toBeGreaterThan(attack.seen.ended);
    expect(attack.seen.ok).toBe(0);
  });

  it('requests at the end of a window and at the begin of the next one occupy at most twice the burst', async () => {
    const attack = service();
    const flood = async () => {
      for (let i = 0; i < 300; i++) void attack.send('mallory', () => attack.clock.sleep(29_000));
      await attack.advance(20);
    };
    await attack.advance(WINDOW_MS - 10);
    await flood();
    await flood();
    for (let i = 0; i < 5; i++) {
      await attack.advance(1_000);
      await flood();
    }
    expect(attack.seen.most).toBe(4 * PER_SECOND);
  });

  it('a user with 20 short requests per second beside some long ones is not refused', async () => {
    const usual = service();
    for (let i = 0; i < 200; i++) {
      void usual.send('bob', () => usual.clock.sleep(i % 20 === 0 ? 3_000 : 30));
      await usual.advance(50);
    }
    await usual.advance(4_000);
    expect(usual.seen).toMatchObject({ ok: 200, refused: 0, ended: 0 });
  });

  it('a request ends at its deadline with a reason, and sends nothing more', async () => {
    const { clock, advance } = virtualClock();
    const run = boundRequests(
      { takeSharedRequest: async () => {}, countOccupied: async () => {} } as never,
      clock,
    );
    let later: unknown;
    const answer = run('ann', async () => {
      refuseAfterEnd();
      await clock.sleep(29_000);
      try {
        refuseAfterEnd();
      } catch (error) {
        later = error;
      }
    }).catch((error: unknown) => error);
    await advance(REQUEST_DEADLINE_MS);
    expect(await answer).toMatchObject({ status: 503, message: expect.stringContaining('longer than 8 s') });
    await advance(29_000);
    expect(String(later)).toContain('the request has ended');
    // another request of the container is not concerned
    await run('ann', async () => refuseAfterEnd());
  });

  it('no attempt of a call is sent when it is refused, and the refusal is not tried again', async () => {
    let attempts = 0;
    const clients = createClients({
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      endpoints: { sqs: 'http://127.0.0.1:1', dynamodb: 'http://127.0.0.1:1' },
      beforeAttempt: () => {
        attempts++;
        throw new Error('ended');
      },
    });
    const { ListTablesCommand } = await import('@aws-sdk/client-dynamodb');
    await expect(clients.dynamodb.send(new ListTablesCommand())).rejects.toThrow('ended');
    expect(attempts).toBe(1);
    clients.destroy();
  });
});
