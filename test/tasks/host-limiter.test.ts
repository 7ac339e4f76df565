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
    const leave = await hostLimiter.acquire('a', never);
    const second = hostLimiter.acquire('a', never);
    await expect(hostLimiter.acquire('b', never)).resolves.toBeTypeOf('function');
    leave();
    leave(); // twice is once
    const leaveSecond = await second;
    await expect(new HostLimiter({ perHost: 1 }).acquire('a', never)).resolves.toBeTypeOf('function');
    leaveSecond();
    await expect(hostLimiter.acquire('a', never)).resolves.toBeTypeOf('function');
  });

  it('who is sent away comes back soon if the host answers, and later if it does not', async () => {
    const hostLimiter = new HostLimiter({ perHost: 1, waitMs: 50, snoozeSeconds: () => 5 });
    const leave = await hostLimiter.acquire('a', never);
    const waiting = hostLimiter.acquire('a', never);
    await expect(hostLimiter.acquire('a', never)).rejects.toMatchObject({ name: 'Snooze', seconds: 1 });
    leave();
    await waiting;
    await new Promise((resolve) => setTimeout(resolve, 60));
    await expect(hostLimiter.acquire('a', never)).rejects.toMatchObject({ name: 'Snooze', seconds: 5 });
  });

  it('who waits too long, or behind too many, is sent away without an attempt', async () => {
    const hostLimiter = new HostLimiter({ perHost: 1, waitMs: 20, snoozeSeconds: () => 3 });
    await hostLimiter.acquire('a', never);
    await new Promise((resolve) => setTimeout(resolve, 30)); // it does not answer
    const waiting = hostLimiter.acquire('a', never);
    await expect(hostLimiter.acquire('a', never)).rejects.toMatchObject({ name: 'Snooze', seconds: 3 });
    await expect(waiting).rejects.toBeInstanceOf(Snooze);
    await expect(waiting).rejects.toThrow('1 requests to a are in progress');
  });

  it('who is told to stop while waiting stops with that reason', async () => {
    const hostLimiter = new HostLimiter({ perHost: 1, waitMs: 5_000 });
    const leave = await hostLimiter.acquire('a', never);
    const stop = new AbortController();
    const waiting = hostLimiter.acquire('a', stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    leave();
    await expect(hostLimiter.acquire('a', never)).resolves.toBeTypeOf('function');
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
      hostLimiter: new HostLimiter({ perHost: concurrency / 4, waitMs: 100 }),
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
