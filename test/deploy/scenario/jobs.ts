// Jobs through the public URL: every way to create one, every kind of schedule, and every change of a job.
import type { Execution, JobInput, PunctualClient } from '../../../src/client/client.ts';
import { until } from '../../support/until.ts';
import { holds, same } from '../check.ts';
import type { Step } from '../report.ts';

const WAIT = { withinMs: 180_000, everyMs: 500 };

/** The newest hundred executions of the job. */
export const executionsOf = async (client: PunctualClient, jobId: string): Promise<readonly Execution[]> =>
  (await client.executions.ofJob(jobId, { limit: 100 }).page()).items;

/** Waits until `count` executions of the job have the status, and returns them. */
export const reached = (
  client: PunctualClient,
  jobId: string,
  status: Execution['status'],
  count = 1,
): Promise<readonly Execution[]> =>
  until(
    `${count} execution(s) of ${jobId} are ${status}`,
    async () => {
      const all = await executionsOf(client, jobId);
      const found = all.filter((one) => one.status === status);
      // An end that was not expected does not change any more.
      const failed = status === 'succeeded' && all.find((one) => one.status === 'failed');
      if (failed) throw new Error(`${failed.id} failed: ${JSON.stringify(failed.error)}`);
      return found.length >= count ? found : undefined;
    },
    WAIT,
  );

/** Waits until a job exists that was accepted with `Prefer: respond-async`. */
export const exists = (client: PunctualClient, jobId: string) =>
  until(
    `the accepted job ${jobId} exists`,
    () =>
      client.jobs.get(jobId).catch((error: { status: number }) => {
        if (error.status === 404) return undefined;
        throw error;
      }),
    WAIT,
  );

export async function createJobs(ann: PunctualClient, step: Step): Promise<void> {
  await step('create a job, and repeat the request', async () => {
    const job: JobInput = { name: 'once', task: 'noop', params: { result: 'ran' } };
    const first = await ann.jobs.create(job, { idempotencyKey: 'deploy-once' });
    const again = await ann.jobs.create(job, { idempotencyKey: 'deploy-once' });
    same(again.id, first.id, 'the id of the repeated request');
    const [execution] = await reached(ann, first.id, 'succeeded');
    same(execution?.result, 'ran', 'the result');
  });
  await step('create with Prefer: respond-async', async () => {
    const { id } = await ann.jobs.createAsync({ name: 'queued', task: 'noop' });
    await exists(ann, id);
    await reached(ann, id, 'succeeded');
  });
  await step('create a batch with an invalid job', async () => {
    const results = await ann.jobs.createBatch([
      { task: 'noop' },
      { task: 'noop', schedule: { cron: 'never' } } as JobInput,
    ]);
    same(
      results.map(({ status }) => status),
      [201, 400],
      'the results of the batch',
    );
  });
}

export async function runSchedules(ann: PunctualClient, step: Step): Promise<void> {
  await step('run a job of every kind of schedule', async (note) => {
    const soon = new Date(Date.now() + 65_000);
    const schedules: Record<string, { schedule?: JobInput['schedule']; times: number }> = {
      none: { times: 1 },
      at: { schedule: { at: new Date(Date.now() + 20_000).toISOString() }, times: 1 },
      in: { schedule: { in: 'PT3S' }, times: 1 },
      cron: { schedule: { cron: '*/5 * * * * *' }, times: 2 },
      every: { schedule: { every: 'PT5S' }, times: 2 },
      calendar: {
        schedule: { calendar: { hour: soon.getUTCHours(), minute: soon.getUTCMinutes() } },
        times: 1,
      },
    };
    const lateness = await Promise.all(
      Object.entries(schedules).map(async ([name, { schedule, times }]) => {
        const { id } = await ann.jobs.create({
          name: `kind-${name}`,
          task: 'noop',
          ...(schedule && { schedule }),
        });
        const executions = await reached(ann, id, 'succeeded', times);
        if (!['none', 'at', 'in'].includes(name)) await ann.jobs.cancel(id);
        return executions.map(({ latenessMs = Number.NaN }) => latenessMs);
      }),
    );
    note(`${Object.keys(schedules).length} kinds, at most ${Math.max(...lateness.flat())} ms late`);
  });
}

export async function changeJobs(ann: PunctualClient, operator: PunctualClient, step: Step): Promise<void> {
  await step('edit, pause, resume, run now, backfill and cancel', async () => {
    const { id, version } = await ann.jobs.create({
      name: 'changed',
      task: 'noop',
      schedule: { every: 'PT1H' },
    });
    await ann.jobs.edit(id, { params: { result: 'edited' } }, { ifMatch: version });
    const refused = await ann.jobs.edit(id, { name: 'late' }, { ifMatch: version }).catch((error) => error);
    same(refused.status, 412, 'an edit of an old version');
    same((await ann.jobs.pause(id, { note: 'test' })).status, 'paused', 'the paused job');
    const { id: manual } = await ann.jobs.run(id);
    same((await ann.waitFor(manual, { timeoutMs: 60_000 })).result, 'edited', 'the result of the manual run');
    same((await ann.jobs.resume(id)).status, 'active', 'the resumed job');
    const range = {
      from: new Date(Date.now() - 3 * 3_600_000).toISOString(),
      to: new Date(Date.now() - 60_000).toISOString(),
    };
    const { operation } = await ann.jobs.backfill(id, range);
    const done = await ann.operations.waitFor(operation, { timeoutMs: 150_000 });
    same(done.status, 'done', 'the backfill');
    await ann.jobs.cancel(id);
    same((await ann.jobs.get(id)).status, 'cancelled', 'the cancelled job');
    const changes = (await ann.jobs.changes(id).page()).items;
    holds(changes.length >= 5, `five changes are recorded, got ${changes.length}`);
  });
  await step('retries, dead letters, redrive and retry', async () => {
    const { id: flaky } = await ann.jobs.create({
      task: 'noop',
      params: { failTimes: 1 },
      retry: { maxAttempts: 3, backoffSeconds: 1 },
    });
    const [second] = await reached(ann, flaky, 'succeeded');
    same(second?.attempt, 2, 'the attempt that succeeded');
    const { id: failing } = await ann.jobs.create({ name: 'failing', task: 'noop', params: { fail: true } });
    const [failed] = await reached(ann, failing, 'failed');
    const isListed = async (client: PunctualClient) =>
      (await client.deadLetters.list().page()).items.some(({ jobId }) => jobId === failing);
    await until('the dead letter is listed for its owner', () => isListed(ann), WAIT);
    await until('the dead letter is listed for operators', () => isListed(operator), WAIT);
    same(await ann.deadLetters.redrive({ ids: [failed?.id ?? ''] }), { redriven: 1 }, 'the redrive');
    await until(
      'the redriven execution has failed again',
      async () =>
        (await ann.executions.get(failed?.id ?? '')).timeline.finishedAt !== failed?.timeline.finishedAt,
      WAIT,
    );
    await reached(ann, failing, 'failed');
    await ann.executions.retry(failed?.id ?? '');
  });
  await step('cancel a running execution', async () => {
    const { id } = await ann.jobs.create({ task: 'noop', params: { durationMs: 120_000 } });
    const [running] = await reached(ann, id, 'running');
    await ann.executions.cancel(running?.id ?? '');
    await reached(ann, id, 'cancelled');
  });
  await step('read lists, history, previews, tasks and workers', async (note) => {
    const jobs: string[] = [];
    for await (const { id } of ann.jobs.list({ limit: 5 })) jobs.push(id);
    const executions = (await ann.executions.list({ limit: 100 }).page()).items;
    holds(
      executions.every(({ jobId }) => jobs.includes(jobId)),
      'every execution belongs to a job of the list',
    );
    const { fireTimes } = await ann.preview({ schedule: { cron: '0 9 * * MON-FRI' }, count: 3 });
    same(fireTimes.length, 3, 'the previewed fire times');
    const tasks = (await ann.tasks()).map(({ name }) => name);
    holds(tasks.includes('http') && tasks.includes('noop'), 'http and noop are listed');
    const workers = await operator.workers();
    note(`${jobs.length} jobs, ${executions.length} executions, ${workers.length} workers`);
    holds(workers.length >= 2, 'two workers are listed');
  });
}

/** What the query service reads besides the tables: the log group of the workers, and their metrics. Names and bulk changes, too. */
export async function readReports(ann: PunctualClient, operator: PunctualClient, step: Step): Promise<void> {
  await step('explain, summary, log lines, statistics, forecast and limits', async () => {
    const { id } = await ann.jobs.create({ name: 'explained', task: 'noop' });
    const [execution] = await reached(ann, id, 'succeeded');
    same((await ann.jobs.explain(id)).verdict, 'ran', 'the verdict about the execution');
    holds((await ann.executions.summary()).counts.succeeded > 0, 'the summary counts the execution');
    // The task has logged nothing.
    same((await ann.executions.logs(execution?.id ?? '')).items, [], 'the log lines');
    holds((await ann.deadLetters.groups()).items.length > 0, 'failures are grouped by their errors');
    holds((await operator.stats()).items.length > 0, 'there are statistics');
    holds((await operator.forecast()).items.length > 0, 'there is a forecast');
    holds((await operator.system()).shards.length > 0, 'the cursors of the shards are shown');
    holds((await operator.limits.get('nobody')).limits.activeJobs, 'the limits of an owner are shown');
  });
  await step('a job by its name, and a change of many jobs', async () => {
    const name = { namespace: 'deploy', name: 'nightly' };
    const { id } = await ann.namedJobs.put(name, { task: 'noop', schedule: { cron: '0 2 * * *' } });
    same((await ann.namedJobs.get(name)).id, id, 'the job of the name');
    const { operation } = await ann.jobs.bulk({ action: 'pause', filter: { name: 'nightly' } });
    await ann.operations.waitFor(operation, { timeoutMs: 150_000 });
    same((await ann.jobs.get(id)).status, 'paused', 'the job after the change');
    await ann.namedJobs.cancel(name);
    same((await ann.jobs.get(id)).status, 'cancelled', 'the job after the name was cancelled');
  });
}
