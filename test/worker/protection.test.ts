import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { BREAK_MS, LONG_MS, protectLongJobs } from '../../src/worker/protection.ts';
import { NOON, StandingClock, settle } from '../support/standing-clock.ts';
import { until } from '../support/until.ts';

/** What ECS's agent was asked for, and whether it answers. */
const asked: unknown[] = [];
let answers = 200;
const agent = createServer(async (request, response) => {
  asked.push([request.method, request.url, JSON.parse(await text(request))]);
  response.writeHead(answers).end('{}');
});
let agentUri = '';

beforeAll(async () => {
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  agentUri = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/api`;
});
afterAll(() => {
  agent.close();
  agent.closeAllConnections();
});
beforeEach(() => {
  asked.length = 0;
  answers = 200;
});

const MAX_MS = 7 * 60_000;
const ON = ['PUT', '/api/task-protection/v1/state', { ProtectionEnabled: true, ExpiresInMinutes: 20 }];
const OFF = ['PUT', '/api/task-protection/v1/state', { ProtectionEnabled: false }];

/** The clock stands still while the agent is asked over a real socket. */
const untilAsked = async (times: number) => {
  await until(`the agent is asked ${times} times`, () => asked.length >= times);
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve, 2));
  await settle();
};

describe('task protection', () => {
  const start = (running: { since: number }[]) => {
    const clock = new StandingClock();
    return {
      clock,
      protection: protectLongJobs({
        agentUri,
        clock,
        log: createLog('silent'),
        running: () => running,
        maxMs: MAX_MS,
      }),
    };
  };

  it('is asked for while a job runs that may not end within the drain, and given up after it', async () => {
    const running = [{ since: NOON }];
    const { clock, protection } = start(running);
    await clock.advance(LONG_MS - 10_000);
    expect(asked).toEqual([]);
    await clock.advance(20_000);
    await untilAsked(1);
    expect(asked).toEqual([ON]);
    running.length = 0;
    await clock.advance(10_000);
    await untilAsked(2);
    expect(asked).toEqual([ON, OFF]);
    await protection.stop();
    expect(asked).toEqual([ON, OFF]);
  });

  it('is asked for again when the agent did not answer, and given up when the worker leaves', async () => {
    answers = 500;
    const { clock, protection } = start([{ since: NOON - LONG_MS }]);
    await untilAsked(1);
    answers = 200;
    await clock.advance(10_000);
    await untilAsked(2);
    await protection.stop();
    expect(asked).toEqual([ON, ON, OFF]);
  });

  it('is renewed before it runs out', async () => {
    const { clock, protection } = start([{ since: NOON - LONG_MS }]);
    await untilAsked(1);
    for (let minute = 0; minute < 6; minute++) await clock.advance(60_000);
    await untilAsked(2);
    expect(asked).toEqual([ON, ON]);
    await protection.stop();
  });

  it('takes a break after its maximum although a long job always runs, so that a deployment can go on', async () => {
    const { clock, protection } = start([{ since: NOON - LONG_MS }]);
    await untilAsked(1);
    for (let minute = 0; minute < 7; minute++) await clock.advance(60_000);
    await untilAsked(3);
    expect(asked).toEqual([ON, ON, OFF]);
    for (let ms = 0; ms < BREAK_MS - 60_000; ms += 60_000) await clock.advance(60_000);
    expect(asked).toEqual([ON, ON, OFF]);
    await clock.advance(60_000);
    await untilAsked(4);
    expect(asked).toEqual([ON, ON, OFF, ON]);
    await protection.stop();
  });
});
