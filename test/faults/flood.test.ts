// One tenant floods a deployment, and two others go on: 100 sleepers, 500 jobs every second and 10,000 jobs at one instant beside
// two tenants with 20 jobs a second each, on an embedded server and on the AWS path, in real processes. Nothing here measures
// punctuality (the benchmarks do): every tenant makes progress in every window, and nothing of the flood is lost.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStarts, STARTS_VARIABLE, type Start } from '../../bench/system/starts.ts';
import { forEachLimit } from '../../src/concurrency/map-limit.ts';
import { startAwsParts } from '../support/aws-parts.ts';
import { HAS_DYNOXIDE } from '../support/aws-path-suites.ts';
import { type client, startLocal, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';

const SLEEPERS = 100;
const SLEEP_MS = 10_000;
const EVERY_SECOND_JOBS = 500;
const AT_ONE_INSTANT = 10_000;
const STAGGERED = 20;
/** A quiet tenant has about 200 executions in a window. */
const WINDOW_MS = 10_000;
const MIN_PER_WINDOW = 10;
const PER_BATCH = 100;
const WARM_UP = 200;

type Spec = Record<string, unknown>;
type Call = ReturnType<typeof client>;
/** Calls the API as a user. */
type As = (user: string) => Call;

const iso = (time: number): string => new Date(time).toISOString();
const aJob = (schedule: Spec, params: Spec = {}): Spec => ({ task: 'bench', params, schedule });
/** One run stands for all overdue occurrences, so that the recurring part of the flood ends soon on a slow machine. */
const recurring = (startAt: number, endAt: number): Spec => ({
  ...aJob({ every: 'PT1S', startAt: iso(startAt), endAt: iso(endAt) }),
  misfire: { policy: 'runOnce', graceSeconds: 5 },
});

async function create(call: Call, specs: readonly Spec[]): Promise<string[]> {
  const ids: string[] = [];
  const firsts = Array.from({ length: Math.ceil(specs.length / PER_BATCH) }, (_, i) => i * PER_BATCH);
  await forEachLimit(firsts, 4, async (first) => {
    const { status, body } = await call('POST', '/jobs/batch', {
      jobs: specs.slice(first, first + PER_BATCH),
    });
    expect(status).toBeLessThan(300);
    for (const [i, result] of body.results.entries()) {
      expect(result.status, JSON.stringify(result)).toBe(201);
      ids[first + i] = result.job.id;
    }
  });
  return ids;
}

/** Creates the tenants' jobs. The flood is due after a time in which this machine can create it. */
async function flood(as: As) {
  const ann = as('ann');
  const warmUp = Array<Spec>(WARM_UP).fill(aJob({ in: 'PT2S' }));
  await create(ann, warmUp);
  const before = Date.now();
  await create(ann, warmUp);
  const msPerJob = (Date.now() - before) / WARM_UP;
  const floodAt = Math.ceil(
    Date.now() + WINDOW_MS + 5_000 + 1.3 * msPerJob * (AT_ONE_INSTANT + EVERY_SECOND_JOBS + SLEEPERS),
  );
  const sleepAt = floodAt - WINDOW_MS;
  const instant = await create(ann, Array<Spec>(AT_ONE_INSTANT).fill(aJob({ at: iso(floodAt) })));
  const sleepers = await create(
    ann,
    Array<Spec>(SLEEPERS).fill(aJob({ at: iso(sleepAt) }, { hold: SLEEP_MS })),
  );
  const everySecond = await create(
    ann,
    Array<Spec>(EVERY_SECOND_JOBS).fill(recurring(sleepAt, floodAt + WINDOW_MS)),
  );
  const began = Date.now() + 1_000;
  const staggered = (user: string) =>
    create(
      as(user),
      Array.from({ length: STAGGERED }, (_, i) => recurring(began + 50 * i, floodAt + 10 * WINDOW_MS)),
    );
  const quiet = { bob: new Set(await staggered('bob')), cat: new Set(await staggered('cat')) };
  expect(Date.now(), 'the flood was created in time').toBeLessThan(sleepAt);
  return { quiet, sleepers, everySecond, instant, floodAt };
}

const startedOf = (starts: readonly Start[], jobs: ReadonlySet<string>) =>
  starts.filter(({ jobId }) => jobs.has(jobId));

type StartServer = (
  folder: string,
  env: Record<string, string>,
) => Promise<{ readonly as: As; kill(): Promise<unknown> }>;

async function expectFairness(name: string, startServer: StartServer): Promise<void> {
  const folder = temporaryFolder();
  const file = join(folder.path, 'starts.jsonl');
  writeFileSync(file, '');
  const server = await startServer(folder.path, {
    PUNCTUAL_LOG: 'error',
    PUNCTUAL_DRAIN_SECONDS: '0',
    PUNCTUAL_TASKS_FOLDER: join(import.meta.dirname, '../../bench/system/tasks'),
    [STARTS_VARIABLE]: file,
  });
  try {
    const log = (text: string) => process.stderr.write(`${name}: ${text}\n`);
    const { quiet, sleepers, everySecond, instant, floodAt } = await flood(server.as);
    log(`the flood is due in ${floodAt - Date.now()} ms`);
    const oneTime = [...sleepers, ...instant];
    const distinct = () => new Set(readStarts(file).map(({ jobId }) => jobId));
    await until(
      'every job of the flood has started',
      () => {
        const found = distinct();
        return [...oneTime, ...everySecond].every((id) => found.has(id));
      },
      { withinMs: 300_000, everyMs: 1_000 },
    );
    const starts = readStarts(file);
    const ofFlood = startedOf(starts, new Set(instant));
    const floodEnd = Math.max(...ofFlood.map(({ at }) => at));
    const report: Record<string, number[]> = {};
    for (const [user, jobs] of Object.entries(quiet)) {
      const own = startedOf(starts, jobs);
      // the windows from the start of the sleepers until the last job of the flood has started
      const windows: number[] = [];
      for (
        let from = floodAt - WINDOW_MS;
        from + WINDOW_MS <= Math.max(floodEnd, floodAt + WINDOW_MS);
        from += WINDOW_MS
      )
        windows.push(own.filter(({ at }) => at >= from && at < from + WINDOW_MS).length);
      report[user] = windows;
      // what became due after the flood did not wait for the whole of it
      const after = own.filter(({ due, at }) => due > floodAt && at < floodEnd).length;
      expect(after, `${user} runs between the jobs of the flood`).toBeGreaterThan(0);
    }
    log(JSON.stringify({ floodMs: floodEnd - floodAt, ...report }));
    for (const [user, windows] of Object.entries(report))
      for (const [i, count] of windows.entries())
        expect(count, `starts of ${user} in window ${i}`).toBeGreaterThanOrEqual(MIN_PER_WINDOW);
    await until(
      'every one-time job of the flood has ended',
      async () => {
        const { body } = await server.as('ann')('GET', '/jobs?status=active&limit=1');
        return body.items.length === 0;
      },
      { withinMs: 120_000, everyMs: 1_000 },
    );
    const failed = await server.as('ann')('GET', '/dead-letters?limit=1');
    expect(failed.body.items).toEqual([]);
  } finally {
    await server.kill();
    folder.remove();
  }
}

test(
  'embedded',
  () =>
    expectFairness('embedded', async (folder, env) => {
      const local = await startLocal(folder, env);
      return { as: local.as, kill: () => local.stop('SIGKILL') };
    }),
  500_000,
);

test.skipIf(!HAS_DYNOXIDE)(
  'on the AWS path',
  () => expectFairness('AWS path', (folder, env) => startAwsParts(folder, env, { workers: 2 })),
  500_000,
);
