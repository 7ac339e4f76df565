import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressRules } from '../../src/tasks/http/addresses.ts';
import { guardedAgent } from '../../src/tasks/http/guarded-connect.ts';
import { HostLimiter } from '../../src/tasks/http/host-limiter.ts';
import { httpTask } from '../../src/tasks/http/http.ts';
import { httpParams } from '../../src/tasks/http/http-params.ts';
import { Snooze } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';

const never = new AbortController().signal;

describe('the limit of requests per host', () => {
  it('are given up to the limit, and to who waits as soon as one is left', async () => {
    const hostLimiter = new HostLimiter({ perHost: 1, waitMs: 5_000 });
    const leave = await hostLimiter.acquire('a', 'ann', never);
    const second = hostLimiter.acquire('a', 'ann', never);
    await expect(hostLimiter.acquire('b', 'ann', never)).resolves.toBeTypeOf('function');
    leave();
    leave(); // twice is once
    const leaveSecond = await second;
    await expect(new HostLimiter({ perHost: 1 }).acquire('a', 'ann', never)).resolves.toBeTypeOf('function');
    leaveSecond();
    await expect(hostLimiter.acquire('a', 'ann', never)).resolves.toBeTypeOf('function');
  });

  it('who is sent away comes back soon if the host answers, and later if it does not', async () => {
    const hostLimiter = new HostLimiter({ perHost: 1, waitMs: 50, snoozeSeconds: () => 5 });
    const leave = await hostLimiter.acquire('a', 'ann', never);
    const waiting = hostLimiter.acquire('a', 'ann', never);
    await expect(hostLimiter.acquire('a', 'ann', never)).rejects.toMatchObject({
      name: 'Snooze',
      seconds: 1,
    });
    leave();
    await waiting;
    await new Promise((resolve) => setTimeout(resolve, 60));
    await expect(hostLimiter.acquire('a', 'ann', never)).rejects.toMatchObject({
      name: 'Snooze',
      seconds: 5,
    });
  });

  it('who waits too long, or behind too many, is sent away without an attempt', async () => {
    const hostLimiter = new HostLimiter({ perHost: 1, waitMs: 20, snoozeSeconds: () => 3 });
    await hostLimiter.acquire('a', 'ann', never);
    await new Promise((resolve) => setTimeout(resolve, 30)); // it does not answer
    const waiting = hostLimiter.acquire('a', 'ann', never);
    await expect(hostLimiter.acquire('a', 'ann', never)).rejects.toMatchObject({
      name: 'Snooze',
      seconds: 3,
    });
    await expect(waiting).rejects.toBeInstanceOf(Snooze);
    await expect(waiting).rejects.toThrow('1 requests to a are in progress');
  });

  it('who is told to stop while waiting stops with that reason', async () => {
    const hostLimiter = new HostLimiter({ perHost: 1, waitMs: 5_000 });
    const leave = await hostLimiter.acquire('a', 'ann', never);
    const stop = new AbortController();
    const waiting = hostLimiter.acquire('a', 'ann', stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    leave();
    await expect(hostLimiter.acquire('a', 'ann', never)).resolves.toBeTypeOf('function');
  });
});

describe('the share of one owner', () => {
  const options = { perHost: 10, waitMs: 5_000 };
  const all = (limiter: HostLimiter, owner: string, count: number) =>
    Array.from({ length: count }, () => limiter.acquire('a', owner, never));
  /** The number of promises that are settled. */
  const settled = async (promises: readonly Promise<unknown>[]) => {
    let count = 0;
    for (const promise of promises)
      promise.then(
        () => count++,
        () => count++,
      );
    await new Promise((resolve) => setTimeout(resolve, 5));
    return count;
  };

  it('leaves room for others, in progress and waiting', async () => {
    const limiter = new HostLimiter(options);
    const ofAnn = all(limiter, 'ann', 40);
    // 8 of 10 are in progress and 8 of 10 wait, and the others were refused
    const outcomes = await Promise.race([Promise.allSettled(ofAnn.slice(16)), settled(ofAnn)]);
    expect(outcomes).toSatisfy((found: PromiseSettledResult<unknown>[]) =>
      found.every((one) => one.status === 'rejected' && one.reason instanceof Snooze),
    );
    await expect(ofAnn.at(-1)).rejects.toThrow(
      '8 requests of this owner to a are in progress, which is its share of the limit per host (10)',
    );
    expect(await settled(ofAnn.slice(0, 16))).toBe(8);
    const ofBob = all(limiter, 'bob', 2);
    expect(await settled(ofBob)).toBe(1);
    // bob has one request in progress and ann has eight, so the next free slot is bob's
    (await ofAnn[0])?.();
    expect(await settled(ofBob)).toBe(2);
    expect(await settled(ofAnn.slice(8, 16))).toBe(0);
  });

  it('is not limited with a share of 1', async () => {
    expect(await settled(all(new HostLimiter({ ...options, ownerShare: 1 }), 'ann', 10))).toBe(10);
  });
});

describe('one host that never answers', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  const listen = async (answer: boolean) => {
    const server = createServer((_, response) => void (answer && response.end('ok'))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  let slow = '';
  let quick = '';
  beforeAll(async () => {
    slow = await listen(false);
    quick = await listen(true);
  });
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('takes its share of a worker’s run slots; jobs of other hosts start and end meanwhile', async () => {
    const concurrency = 20;
    const http = httpTask(() => services);
    const services = {
      dispatcher: guardedAgent(addressRules({ loopback: true })),
      hostLimiter: new HostLimiter({ perHost: concurrency / 4, ownerShare: 1, waitMs: 100 }),
    };
    const stop = new AbortController();
    let running = 0;
    const outcomes = { quick: 0, sentAway: 0 };
    // a worker with 20 run slots and a queue in front: 100 jobs of the slow host first, then 20 of the quick one
    const queue = [...Array<string>(100).fill(slow), ...Array<string>(20).fill(quick)];
    const work = async () => {
      while (!stop.signal.aborted) {
        const url = queue.shift();
        if (url === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          continue;
        }
        running++;
        await http
          .run(taskContext(httpParams.parse({ url }), { signal: stop.signal }))
          .then(() => outcomes.quick++)
          .catch((error: unknown) => {
            if (error instanceof Snooze && url === slow) outcomes.sentAway++;
            else if (error instanceof Snooze) setTimeout(() => queue.push(quick), 20);
          });
        running--;
      }
    };
    const workers = Array.from({ length: concurrency }, work);
    const started = performance.now();
    const others = () => outcomes.quick + outcomes.sentAway;
    while (others() < 115 && performance.now() - started < 5_000)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(outcomes).toEqual({ quick: 20, sentAway: 95 });
    expect(running).toBe(5);
    stop.abort(new Error('the test is over'));
    await Promise.all(workers);
  });
});
