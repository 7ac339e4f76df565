// kill -9 of everybody who carries out a bulk pause of 1,000 jobs: the API that began it, and one watcher after the other.
// Each job is paused exactly once, with one record.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forEachLimit } from '../../src/concurrency/map-limit.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { getOperation } from '../../src/jobs/operations/operation-requests.ts';
import { listChanges } from '../../src/queries/list-changes.ts';
import { type Engines, inWorld, OWNER, startEngines, USER } from '../support/faults/accelerated-world.ts';
import type { Child } from '../support/faults/child.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

const JOBS = 1000;
const CONCURRENT = 25;
const PATIENCE_MS = 240_000;
/** Slower than elsewhere: what there is to do takes real time. So the lease is shorter. */
const OPTIONS = { speed: 4, settings: { operationLeaseMs: 6_000 } };

test(
  'a bulk pause of 1,000 jobs survives kill -9 of its API and its watchers: each job is paused once',
  { timeout: 2 * PATIENCE_MS },
  () =>
    inWorld(
      engines,
      'bulk',
      async (world) => {
        const { context } = world;
        const api = await world.start('api', ['api']);
        const ids: string[] = [];
        const spec = jobSpecSchema.parse({
          task: 'probe',
          schedule: { cron: '0 4 1 1 *' },
          tags: { team: 'billing' },
        });
        const others = jobSpecSchema.parse({ task: 'probe', schedule: { cron: '0 4 1 1 *' } });
        await forEachLimit(Array.from({ length: JOBS }), CONCURRENT, async () => {
          ids.push((await createJob(context, { userId: USER, spec })).job.id);
        });
        const untouched = (await createJob(context, { userId: USER, spec: others })).job.id;

        const answer = await fetch(`${(api as Child).url}/jobs/bulk`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: USER },
          body: JSON.stringify({ action: 'pause', filter: { tag: 'team:billing' }, note: 'killed' }),
        });
        expect(answer.status).toBe(202);
        // on a busy machine the operation counts in the background
        const { operation } = (await answer.json()) as { operation: string };
        await world.kill(api as Child);
        const later = (await createJob(context, { userId: USER, spec })).job.id;

        const look = () => getOperation(context, OWNER, operation);
        let killed = 0;
        for (const share of [0.3, 0.55, 0.8]) {
          const watcher = await world.start(`watcher-${share}`, ['watcher']);
          const enough = async () => (await look()).done >= share * JOBS || (await look()).status === 'done';
          await world.until(`${share * JOBS} are done`, enough, PATIENCE_MS);
          if ((await look()).status === 'running') killed++;
          await world.kill(watcher);
        }
        expect(killed, 'watchers were killed in the middle').toBeGreaterThan(0);
        await world.start('last', ['watcher']);
        await world.until('it is done', async () => (await look()).status !== 'running', PATIENCE_MS);
        expect(await look()).toMatchObject({ status: 'done', done: JOBS, total: JOBS, refusedCount: 0 });

        await forEachLimit(ids, CONCURRENT, async (id) => {
          const head = await context.store.readHead(id, { consistent: true });
          expect(head).toMatchObject({ status: 'paused', version: 2 });
          const { items } = await listChanges(context, OWNER, id, { limit: 10 });
          expect(items.map(({ what, note }) => [what, note])).toEqual([
            ['paused', 'killed'],
            ['created', undefined],
          ]);
        });
        for (const id of [untouched, later])
          expect((await context.store.readHead(id, { consistent: true }))?.status).toBe('active');
      },
      OPTIONS,
    ),
);
