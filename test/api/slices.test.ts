// Requests share the event loop with the starts of an embedded server. The clock of these tests moves by 1 ms with every look at
// it, so every piece of work takes that long, and a turn of the event loop has room for ten.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RequestTurns } from '../../src/concurrency/request-turns.ts';
import { dueKey } from '../../src/domain/executions/ids.ts';
import { aHead, aRow } from '../support/fixtures.ts';
import { NOW, testApi } from './api.ts';

const MINUTE = 60_000;
const JOBS = 120;
const jobIdOf = (i: number): string => `job_${String(i).padStart(20, '0')}`;
const PIECES_PER_TURN = 10;

function slicedApi() {
  let looks = 0;
  const api = testApi({ turns: new RequestTurns({ monotonic: () => looks++ }) });
  /** The turns of the event loop until all of these have ended. */
  const turnsOf = async <T>(work: Promise<T>): Promise<{ turns: number; result: T }> => {
    let isOver = false;
    const result = work.finally(() => {
      isOver = true;
    });
    let turns = 0;
    for (; !isOver; turns++) await nextTurn();
    return { turns, result: await result };
  };
  return { ...api, turnsOf };
}

/** Recurring jobs of alice, and executions of one of them. */
async function filled() {
  const api = slicedApi();
  const { store } = api;
  const heads = Array.from({ length: JOBS }, (_, i) =>
    aHead({
      jobId: jobIdOf(i),
      userId: 'alice',
      createdAt: NOW - i,
      schedule: { every: 'PT1H', startAt: '2026-11-01T00:00:00Z' },
    }),
  );
  for (const head of heads) await store.insertHead(head);
  for (let i = 0; i < JOBS; i++)
    await store.insertRow(
      aRow({
        jobId: jobIdOf(0),
        userId: 'alice',
        due: dueKey(NOW - i * MINUTE),
        status: 'FAILED',
      }),
    );
  return api;
}

const batch = { jobs: Array.from({ length: 50 }, () => ({ task: 'noop', schedule: { every: 'PT1H' } })) };
const schedule = { every: 'PT1H' };

it.each([
  ['GET', '/jobs?limit=100', 100],
  ['GET', '/jobs?limit=100&view=summary', 100],
  ['GET', '/jobs?limit=100&include=recent', 200],
  ['GET', '/jobs?status=completed', JOBS],
  ['GET', '/jobs?name=nobody', JOBS],
  ['GET', '/executions?limit=100', 100],
  ['GET', '/executions?status=scheduled&limit=100', 100],
  ['GET', '/executions?status=skipped', JOBS],
  ['GET', `/jobs/${jobIdOf(0)}/executions?limit=100`, 100],
  ['GET', `/jobs/${jobIdOf(0)}/executions?status=scheduled&limit=100`, 100],
  ['GET', '/dead-letters?limit=100', 100],
  ['GET', '/executions/summary', JOBS],
  ['POST', '/jobs/bulk?dryRun=true', JOBS, { action: 'pause', all: true }],
  ['POST', '/jobs/bulk', 2 * JOBS, { action: 'pause', all: true }],
  ['POST', '/jobs/batch', 100, batch],
  ['POST', '/dead-letters/redrive', 100, { jobId: jobIdOf(0) }],
  ['POST', `/jobs/${jobIdOf(0)}/backfill`, 100, { from: new Date(NOW - 100 * 3_600_000), to: new Date(NOW) }],
  ['POST', '/schedules/preview', 100, { schedule, count: 100 }],
])('%s %s works in slices', async (method, path, pieces, body = undefined) => {
  const { call, turnsOf } = await filled();
  const { turns, result } = await turnsOf(call(method, path, { body }));
  expect(result.status).toBeLessThan(300);
  expect(turns).toBeGreaterThanOrEqual(pieces / PIECES_PER_TURN);
});

/** The claims of the token are in the event already, as behind API Gateway. */
const as = (user: string) => {
  const payload = Buffer.from(JSON.stringify({ sub: user })).toString('base64url');
  return { user, headers: { authorization: `Bearer x.${payload}.x` } };
};

it('one request of another user is answered while hundreds of a user wait', async () => {
  const { call, turnsOf } = await filled();
  let answered = 0;
  const flood = Array.from({ length: 300 }, () =>
    call('GET', '/jobs?limit=100', as('alice')).then(() => answered++),
  );
  await nextTurn();
  const { turns, result } = await turnsOf(call('GET', '/jobs', as('bob')));
  expect(result.body.items).toEqual([]);
  expect(turns).toBeLessThan(20);
  expect(answered).toBeLessThan(10);
  await Promise.all(flood);
});
