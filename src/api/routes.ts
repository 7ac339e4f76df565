// Which use case answers which operation of the contract.

import { runNow } from '../scheduling/by-hand.ts';
import type { Context } from '../scheduling/context.ts';
import { cancelJob, createJob } from '../scheduling/jobs.ts';
import { getExecution, getJob, listExecutions, listJobs } from '../scheduling/queries.ts';
import type { Tasks } from '../tasks/task.ts';
import { contract } from './contract.ts';
import { Unavailable } from './errors.ts';
import { parseJobSpec } from './job-input.ts';
import { type Route, route } from './route.ts';

const etag = (version: number): string => `"${version}"`;

export function routes(ctx: Context, tasks: Tasks): Route[] {
  return [
    route(contract.createJob, {
      body: (input) => parseJobSpec(tasks, input),
      async handle({ body: spec, headers }, { userId }) {
        const { job } = await createJob(ctx, { userId, spec, idempotencyKey: headers['idempotency-key'] });
        return { body: job, headers: { location: `/jobs/${job.id}`, etag: etag(job.version) } };
      },
    }),
    route(contract.listJobs, {
      handle: async ({ query }, { userId }) => ({ body: await listJobs(ctx, userId, query) }),
    }),
    route(contract.getJob, {
      async handle({ params }, who) {
        const job = await getJob(ctx, who, params.id);
        return { body: job, headers: { etag: etag(job.version) } };
      },
    }),
    route(contract.cancelJob, {
      async handle({ params }, who) {
        await cancelJob(ctx, who, params.id);
        return {};
      },
    }),
    route(contract.runJob, {
      async handle({ params }, who) {
        const execution = await runNow(ctx, who, params.id);
        return { body: execution, headers: { location: `/executions/${execution.id}` } };
      },
    }),
    route(contract.listJobExecutions, {
      handle: async ({ params, query }, who) => ({
        body: await listExecutions(ctx, who, params.id, query),
      }),
    }),
    route(contract.getExecution, {
      handle: async ({ params }, who) => ({ body: await getExecution(ctx, who, params.id) }),
    }),
    route(contract.health, {
      async handle() {
        await storeAnswers(ctx);
        return { body: { status: 'ok' } };
      },
    }),
  ];
}

const HEALTH_DEADLINE_MS = 2000;

/** One small read. */
async function storeAnswers(ctx: Context): Promise<void> {
  const done = new AbortController();
  const late = ctx.clock.sleep(HEALTH_DEADLINE_MS, done.signal).then(() => {
    throw new Error(`no answer within ${HEALTH_DEADLINE_MS} ms`);
  });
  try {
    await Promise.race([ctx.store.readShard(0), late]);
  } catch (error) {
    ctx.log.warn('the store does not answer', { error });
    throw new Unavailable('the store does not answer');
  } finally {
    late.catch(() => {});
    done.abort();
  }
}
