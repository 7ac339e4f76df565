// kill -9 of everybody who carries out a backfill of 1,000 occurrences: the API that began it, and one watcher after the
// other. Everything that was planned ends exactly once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Row } from '../../src/domain/executions/row.ts';
import { getOperation } from '../../src/jobs/operations/operation-requests.ts';
import {
  type AcceleratedWorld,
  type Engines,
  inWorld,
  OWNER,
  startEngines,
  USER,
} from '../support/faults/accelerated-world.ts';
import type { Accepted } from '../support/faults/check.ts';
import type { Child } from '../support/faults/child.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const OCCURRENCES = 1000;
const EVERY_MS = 10_000;
const PATIENCE_MS = 240_000;
/** Slower than elsewhere: what there is to do takes real time. So the lease is shorter. */
const OPTIONS = { speed: 4, settings: { operationLeaseMs: 6_000 } };

interface Range {
  readonly from: number;
  readonly to: number;
}

async function post(api: Child, jobId: string, range: Range): Promise<Response> {
  const body = JSON.stringify({
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
  });
  const headers = { 'content-type': 'application/json', authorization: USER };
  return fetch(`${api.url}/jobs/${jobId}/backfill`, { method: 'POST', headers, body });
}

async function allRows(
  { context }: AcceleratedWorld,
  { jobId }: Accepted,
  { from, to }: Range,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await context.store.listRows(jobId, {
      ...{ limit: 1000, cursor, newestFirst: false, consistent: true },
      ...{ from: String(from), to: String(to) },
    });
    rows.push(...page.items);
    cursor = page.next;
  } while (cursor);
  return rows;
}

test(
  'a backfill of 1,000 occurrences survives kill -9 of its API and its watchers: each runs once',
  {
    timeout: 2 * PATIENCE_MS,
  },
  () =>
    inWorld(
      engines,
      'operations',
      async (world) => {
        const [api] = await Promise.all([world.start('api', ['api']), world.start('worker', ['worker'])]);
        const end = Math.floor(world.now / EVERY_MS) * EVERY_MS;
        const range = { from: end - OCCURRENCES * EVERY_MS, to: end };
        // beside each other: one after the other 1,000 runs take minutes on a busy machine
        const job = await world.create({
          overlap: 'allow',
          schedule: { every: 'PT10S', startAt: new Date(range.from).toISOString(), endAt: world.at(30_000) },
        });

        const answer = await post(api as Child, job.jobId, range);
        const { planned, operation } = (await answer.json()) as { planned: number; operation: string };
        expect({ status: answer.status, planned }).toEqual({ status: 202, planned: OCCURRENCES });
        await world.kill(api as Child);

        const look = () => getOperation(world.context, OWNER, operation);
        for (const [name, until] of [
          ['first', 200],
          ['second', 450],
          ['third', 700],
        ] as const) {
          const watcher = await world.start(name, ['watcher']);
          await world.until(`${until} are done`, async () => (await look()).done >= until, PATIENCE_MS);
          await world.kill(watcher);
        }
        expect((await look()).status, 'it was killed in the middle').toBe('running');
        await world.start('fourth', ['watcher']);
        await world.until('it is done', async () => (await look()).status !== 'running', PATIENCE_MS);
        expect(await look()).toMatchObject({
          status: 'done',
          done: OCCURRENCES,
          total: OCCURRENCES,
          refused: [],
        });

        const ended = async () =>
          (await allRows(world, job, range)).filter((row) => row.status === 'SUCCEEDED');
        await world.until('all have run', async () => (await ended()).length === OCCURRENCES, PATIENCE_MS);
        const runs = world.runs(job).filter(({ due }) => due >= range.from && due < range.to);
        expect(new Set(runs.map(({ due }) => due)).size, 'each of them').toBe(OCCURRENCES);
        expect(runs.length, 'and none twice').toBe(OCCURRENCES);
        expect((await allRows(world, job, range)).length).toBe(OCCURRENCES);
      },
      OPTIONS,
    ),
);
