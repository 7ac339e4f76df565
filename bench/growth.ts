// Checks that the cost of an operation does not grow with the size of the tables. Measures dispatch of a minute, a page of
// jobs and a create with 10² to 10⁶ jobs, and a minute with 10² to 10⁵ entries.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { jobSpecSchema } from '../src/domain/jobs/job-spec.ts';
import { asUser } from '../src/domain/principal.ts';
import { createJob } from '../src/jobs/create-job.ts';
import { startDynoxide } from '../src/local/dynoxide.ts';
import { startFauxqs } from '../src/local/fauxqs.ts';
import { listJobs } from '../src/queries/list-jobs.ts';
import { systemClock } from '../src/runtime/clock/system-clock.ts';
import { type Context, DEFAULT_SETTINGS } from '../src/scheduling/context.ts';
import { FIRST_MINUTE, OWNER, openFilling } from './growth-jobs.ts';
import type { Pass, Used } from './growth-pass.ts';
import { DISPATCHED, formatCount, type Grown, type Large, PAGE, report, WATCHED } from './growth-report.ts';
import { type Endpoints, openMetered, type Units } from './metered.ts';
import { type Options, progress, type Report } from './report.ts';

const PREFIX = 'growth-';
const PAGES = 20;
const CREATES = 50;

const powers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));

export async function growth({ quick }: Options): Promise<Report> {
  const dynoxide = await startDynoxide({});
  const fauxqs = await startFauxqs();
  const endpoints = { dynamodb: dynoxide.endpoint, sqs: fauxqs.endpoint };
  try {
    return await measure(endpoints, powers(2, quick ? 4 : 6), powers(2, quick ? 4 : 5));
  } finally {
    await fauxqs.stop();
    await dynoxide.stop();
  }
}

async function measure(endpoints: Endpoints, tables: number[], minutes: number[]): Promise<Report> {
  const used: Units = { write: 0, read: 0, requests: 0 };
  const { context, close } = await openMetered({
    endpoints,
    prefix: PREFIX,
    clock: systemClock,
    settings: { ...DEFAULT_SETTINGS, shards: 1 },
    count: (_operation, units) => {
      for (const unit of ['write', 'read', 'requests'] as const) used[unit] += units[unit];
    },
  });
  const fill = openFilling(endpoints, PREFIX, context.store);
  const pass = (what: Pick<Pass, 'work' | 'minute' | 'times'>) =>
    inProcess({ endpoints, prefix: PREFIX, warmUp: FIRST_MINUTE, ...what });
  try {
    const grown: Grown[] = [];
    for (const [i, jobs] of tables.entries()) {
      await fill.jobs(tables[i - 1] ?? 0, jobs, (done) =>
        progress(`growth: ${formatCount(done)} of ${formatCount(tables.at(-1) ?? 0)} jobs written`),
      );
      if (i === 0) await fill.minute(FIRST_MINUTE, DISPATCHED);
      progress(`growth: measuring with ${formatCount(jobs)} jobs`);
      // The first page, with its definitions, is the same at every size.
      if (i === 0) await repeat(PAGE, used, () => createOne(context));
      await readPage(context);
      grown.push({
        jobs,
        dispatch: await pass({ work: 'dispatch', minute: FIRST_MINUTE, times: 20 }),
        page: await repeat(PAGES, used, () => readPage(context)),
        create: await repeat(CREATES, used, () => createOne(context)),
      });
    }
    const large: Large[] = [];
    for (const [i, entries] of minutes.entries()) {
      progress(`growth: a minute with ${formatCount(entries)} entries`);
      const minute = FIRST_MINUTE + 1 + i;
      await fill.minute(minute, entries);
      const times = Math.max(1, Math.round(10_000 / entries));
      large.push({ entries, dispatch: await pass({ work: 'dispatch', minute, times }) });
    }
    progress('growth: settle and forecast');
    const minute = FIRST_MINUTE + 30;
    await fill.minute(minute, WATCHED);
    await fill.rows(minute, WATCHED);
    const settle = await pass({ work: 'settle', minute, times: 3 });
    const forecast = await pass({ work: 'forecast', minute, times: 3 });
    return report(grown, large, settle, forecast);
  } finally {
    fill.close();
    close();
  }
}

async function readPage(context: Context): Promise<void> {
  const { items } = await listJobs(context, asUser(OWNER), { limit: PAGE });
  if (items.length !== PAGE) throw new Error(`a page has ${items.length} jobs instead of ${PAGE}`);
}

async function createOne(context: Context): Promise<void> {
  const spec = jobSpecSchema.parse({ task: 'noop', schedule: { at: '2040-01-01T00:00:00Z' } });
  await createJob(context, { userId: OWNER, spec });
}

async function repeat(times: number, used: Units, work: () => Promise<void>): Promise<Used> {
  for (const unit of ['write', 'read', 'requests'] as const) used[unit] = 0;
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  for (let i = 0; i < times; i++) await work();
  const { user, system } = process.cpuUsage(began.cpu);
  return {
    ms: (performance.now() - began.at) / times,
    cpuMs: (user + system) / 1000 / times,
    peakMb: process.resourceUsage().maxRSS / 1024,
    write: used.write / times,
    read: used.read / times,
    requests: used.requests / times,
  };
}

async function inProcess(pass: Pass): Promise<Used> {
  const file = new URL('growth-pass.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(pass)]);
  return JSON.parse(stdout) as Used;
}
