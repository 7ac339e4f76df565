// The limits per owner that hold over several processes, with two APIs and two workers on the same tables.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE } from '../../src/domain/executions/slots.ts';
import { type AwsParts, startAwsParts } from '../support/aws-parts.ts';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { type Folder, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

const CREATES = 40;
const STARTS = 30;
/** A part of 3 for each of the two workers. */
const RUNNING = 6;
const APIS = [0, 1];
const RUN_MS = 300;
const HOURLY = { task: 'noop', schedule: { every: 'PT1H' } };
/** A burst of requests fits into this time, also on a busy machine. */
const BURST_MS = 25_000;

let folder: Folder;
let parts: AwsParts;
beforeAll(async () => {
  folder = temporaryFolder();
  const env = {
    PUNCTUAL_LOG: 'error',
    PUNCTUAL_QUOTA_CREATES_PER_MINUTE: String(CREATES),
    PUNCTUAL_QUOTA_STARTS_PER_MINUTE: String(STARTS),
    PUNCTUAL_QUOTA_RUNNING_EXECUTIONS: String(RUNNING),
  };
  parts = await startAwsParts(folder.path, env, { apis: APIS.length, workers: 2 });
});
afterAll(async () => {
  await parts?.kill();
  folder?.remove();
});

/** A repeated test has an owner of its own, because the first attempt may have used up the limit. */
const newUser = (): string => `user-${process.hrtime.bigint()}`;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly limit?: { readonly name: string; readonly value: number } };
}

/** Sends requests to both APIs at once within one minute, in which the owner has used nothing of its limit. */
async function burst(count: number, send: (api: number, i: number) => Promise<Answer>): Promise<Answer[]> {
  await until('a minute has enough time left', () => MINUTE - (Date.now() % MINUTE) > BURST_MS, {
    withinMs: MINUTE,
    everyMs: 100,
  });
  const minute = Math.floor(Date.now() / MINUTE);
  const answers = await Promise.all(
    APIS.flatMap((api) => Array.from({ length: count / APIS.length }, (_, i) => send(api, i))),
  );
  expect(Math.floor(Date.now() / MINUTE), 'the requests were answered within a minute').toBe(minute);
  return answers;
}

/** Never more than the limit, and never less than half of it, because each process reserves at most what it has used. */
function expectLimited(answers: readonly Answer[], name: string, limit: number, accepted: number): void {
  const done = answers.filter(({ status }) => status === accepted);
  const refused = answers.filter(({ status }) => status === 429);
  expect(done.length + refused.length).toBe(answers.length);
  expect(done.length).toBeLessThanOrEqual(limit);
  expect(done.length).toBeGreaterThanOrEqual(limit / 2);
  for (const { headers, body } of refused) {
    expect(body.limit).toEqual({ name, value: limit });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
}

test('two API processes together allow no more creates in a minute than the limit', async () => {
  const user = newUser();
  const answers = await burst(2 * CREATES, (api) => parts.as(user, api)('POST', '/jobs', HOURLY));
  expectLimited(answers, 'createsPerMinute', CREATES, 201);
});

test('two API processes together allow no more starts by hand in a minute than the limit', async () => {
  const user = newUser();
  const jobs = Array<unknown>(STARTS).fill({ ...HOURLY, overlap: 'allow' });
  const { body } = await parts.as(user)('POST', '/jobs/batch', { jobs });
  const ids: string[] = body.results.map((result: { job: { id: string } }) => result.job.id);
  // each API starts each job, because many starts of one job at once would conflict with each other
  const answers = await burst(2 * STARTS, (api, i) => parts.as(user, api)('POST', `/jobs/${ids[i]}/run`, {}));
  expectLimited(answers, 'startsPerMinute', STARTS, 202);
});

test('two workers together run no more executions of an owner than the limit', async () => {
  const operator = parts.as('op', 0, ['punctual-operators']);
  interface Seen {
    readonly startedAt: string;
    readonly lastSeenAt: string;
  }
  // a worker lists the others after each heartbeat, so each knows the other after a heartbeat later than both starts
  await until(
    'both workers know each other',
    async () => {
      const workers: Seen[] = (await operator('GET', '/workers')).body.items;
      const lastStart = Math.max(...workers.map(({ startedAt }) => Date.parse(startedAt)));
      const isKnown = ({ lastSeenAt }: Seen) => Date.parse(lastSeenAt) > lastStart + 2_000;
      return workers.length === 2 && workers.every(isKnown);
    },
    { everyMs: 500 },
  );
  const receiver = await startCountingReceiver(RUN_MS);
  try {
    const cat = parts.as(newUser());
    const jobs = Array.from({ length: 5 * RUNNING }, (_, i) => ({
      task: 'http',
      params: { url: `${receiver.url}/${i}` },
      schedule: { in: 'PT3S' },
    }));
    expect((await cat('POST', '/jobs/batch', { jobs })).status).toBeLessThan(300);
    await until('all have run', () => receiver.answered.size === jobs.length, { withinMs: 150_000 });
    expect(receiver.mostOpen()).toBeLessThanOrEqual(RUNNING);
    expect(receiver.mostOpen(), 'both workers have run some').toBeGreaterThan(RUNNING / 2);
  } finally {
    await receiver.stop();
  }
});
