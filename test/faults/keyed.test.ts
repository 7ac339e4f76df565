// 1,000 executions with one concurrency key while workers are killed with kill -9, embedded and on the AWS path. A web server
// counts its open requests: there are never more than the key allows, and every execution ends.
import { expect, test } from 'vitest';
import { forEachLimit } from '../../src/concurrency/map-limit.ts';
import { startAwsParts } from '../support/aws-parts.ts';
import { HAS_DYNOXIDE } from '../support/aws-path-suites.ts';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { type client, startLocal, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

const JOBS = 1_000;
const CONCURRENT = 3;
const KILLS = 5;
const RUN_MS = 30;
const PER_BATCH = 100;
/** A short lease, because the slots of a killed worker are free after it. */
const SETTINGS = {
  PUNCTUAL_LOG: 'error',
  PUNCTUAL_LEASE_MS: '6000',
  PUNCTUAL_HEARTBEAT_MS: '2000',
  PUNCTUAL_DRAIN_SECONDS: '0',
};

type Call = ReturnType<typeof client>;

async function create(call: Call, url: string): Promise<void> {
  const jobs = Array.from({ length: JOBS }, (_, i) => ({
    task: 'http',
    params: { url: `${url}/${i}` },
    schedule: { in: 'PT1S' },
    limit: { key: 'db', concurrent: CONCURRENT },
    retry: { maxAttempts: 20, backoffSeconds: 1, maxBackoffSeconds: 2 },
  }));
  const firsts = Array.from({ length: JOBS / PER_BATCH }, (_, i) => i * PER_BATCH);
  await forEachLimit(firsts, 4, async (first) => {
    const { body } = await call('POST', '/jobs/batch', { jobs: jobs.slice(first, first + PER_BATCH) });
    for (const result of body.results) expect(result.status, JSON.stringify(result)).toBe(201);
  });
}

/** Kills after each sixth of the executions, and waits until all have ended. `kill` starts a worker in place of the killed one. */
async function expectAtMostThree(part: string, as: () => Call, kill: () => Promise<void>): Promise<void> {
  const receiver = await startCountingReceiver(RUN_MS);
  const began = Date.now();
  const log = (text: string) => process.stderr.write(`${part}: ${text} after ${Date.now() - began} ms\n`);
  try {
    await create(as(), receiver.url);
    for (let i = 1; i <= KILLS; i++) {
      const enough = (i * JOBS) / (KILLS + 1);
      await until(`${enough} have run`, () => receiver.answered.size >= enough, {
        withinMs: 120_000,
        everyMs: 5,
      });
      log(`${receiver.answered.size} have run, kill ${i}`);
      await kill();
    }
    await until('all have run', () => receiver.answered.size === JOBS, { withinMs: 200_000, everyMs: 50 });
    log('all have run');
    await until(
      'all jobs have ended',
      async () => (await as()('GET', '/jobs?status=active&limit=1')).body.items.length === 0,
      { withinMs: 120_000, everyMs: 500 },
    );
    log('all jobs have ended');
    expect((await as()('GET', '/dead-letters?limit=1')).body.items).toEqual([]);
    expect(receiver.mostOpen(), 'the key is used, and never by more than it allows').toBe(CONCURRENT);
  } finally {
    await receiver.stop();
  }
}

test('embedded', async () => {
  const folder = temporaryFolder();
  let local = await startLocal(folder.path, SETTINGS);
  try {
    await expectAtMostThree(
      'embedded',
      () => local.as('ann'),
      async () => {
        await local.stop('SIGKILL');
        local = await startLocal(folder.path, SETTINGS);
      },
    );
  } finally {
    await local.stop('SIGKILL');
    folder.remove();
  }
}, 600_000);

test.skipIf(!HAS_DYNOXIDE)(
  'on the AWS path',
  async () => {
    const folder = temporaryFolder();
    const parts = await startAwsParts(folder.path, SETTINGS, { workers: 2 });
    try {
      await expectAtMostThree(
        'AWS path',
        () => parts.as('ann'),
        async () => {
          await parts.workers.shift()?.stop('SIGKILL');
          await parts.startWorker();
        },
      );
    } finally {
      await parts.kill();
      folder.remove();
    }
  },
  600_000,
);
