// The pages of the console on an embedded server with many jobs and executions, in a real browser: the time from the address to
// the first row.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { dueKey } from '../src/domain/executions/ids.ts';
import { databaseFile } from '../src/local/data-folder-owner.ts';
import { signToken, tokenKey } from '../src/local/tokens.ts';
import { DEFAULT_SETTINGS } from '../src/scheduling/context.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';
import { launchChromium } from '../test/console/browser/chromium.ts';
import { setup } from '../test/console/browser/global-setup.ts';
import { aRow } from '../test/support/fixtures.ts';
import { startLocal } from './local-server.ts';
import { ascending, type Options, progress, type Report, rank } from './report.ts';

const USER = 'bench';
const EXECUTIONS_PER_JOB = 10;
const PER_BATCH = 100;
const LOADS = 7;
const MINUTE = 60_000;

interface Measured {
  readonly name: string;
  readonly first: number;
  readonly again: readonly number[];
}

export async function consolePages({ quick }: Options): Promise<Report> {
  const jobs = quick ? 1_000 : 10_000;
  const folder = mkdtempSync(join(tmpdir(), 'punctual-bench-'));
  try {
    progress('console: building');
    await setup();
    const ids = await createJobs(folder, jobs);
    await addExecutions(folder, ids);
    return report(await measurePages(folder, ids[0] ?? ''), jobs);
  } finally {
    progress('');
    rmSync(folder, { recursive: true });
  }
}

async function createJobs(folder: string, count: number): Promise<string[]> {
  progress(`console: creating ${count} jobs`);
  const local = await startLocal(folder, 'embedded');
  const token = await signToken(await tokenKey(folder), USER);
  const ids: string[] = [];
  while (ids.length < count) {
    const jobs = Array.from({ length: PER_BATCH }, (_, i) => ({
      ...{ name: `job-${ids.length + i}`, task: 'noop' },
      schedule: { cron: `${i % 60} 9 1 1 *`, timezone: 'Europe/Paris' },
    }));
    const response = await fetch(`${local.url}/jobs/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jobs }),
    });
    const { results } = (await response.json()) as { results: { job: { id: string } }[] };
    ids.push(...results.map(({ job }) => job.id));
  }
  await local.stop();
  return ids;
}

/** Each job has one execution a minute in the last minutes. */
async function addExecutions(folder: string, ids: readonly string[]): Promise<void> {
  progress(`console: adding ${ids.length * EXECUTIONS_PER_JOB} executions`);
  const now = Date.now();
  const { store, close } = await openSqliteStore({
    ...{ file: databaseFile(folder), shards: DEFAULT_SETTINGS.shards, boot: { id: 'bench', at: now } },
  });
  for (let minute = 1; minute <= EXECUTIONS_PER_JOB; minute++) {
    const due = now - minute * MINUTE;
    const times = {
      enqueuedAt: due - 5_000,
      receivedAt: due - 1_000,
      startedAt: due + 2,
      finishedAt: due + 40,
    };
    await Promise.all(
      ids.map((jobId, i) => store.insertRow(aRow({ userId: USER, jobId, due: dueKey(due + i), ...times }))),
    );
  }
  await close();
}

async function measurePages(folder: string, jobId: string): Promise<Measured[]> {
  const local = await startLocal(folder, 'embedded');
  let browser: Browser | undefined;
  try {
    browser = await launchChromium();
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const token = await signToken(await tokenKey(folder), USER);
    const address = `${local.url}/console`;
    await page.goto(`${address}/tasks#token=${token}`);
    await page.getByRole('heading', { name: 'Tasks' }).first().waitFor();
    const measured: Measured[] = [];
    for (const [name, path, row] of [
      ['Jobs', '/jobs', 'tr[data-row]'],
      ['Jobs, filtered by name', '/jobs?name=job-99', 'tr[data-row]'],
      ['Executions', '/executions', 'tr[data-row]'],
      ['Overview', '/', 'table tbody tr'],
      ['Job, executions', `/jobs/${jobId}?tab=executions`, 'table tbody tr'],
    ] as const) {
      progress(`console: ${name}`);
      const times: number[] = [];
      for (let i = 0; i < LOADS; i++) times.push(await timeToRow(page, `${address}${path}`, row));
      const [first = Number.NaN, ...again] = times;
      measured.push({ name, first, again: ascending(again) });
    }
    return measured;
  } finally {
    await browser?.close();
    await local.stop();
  }
}

/** The whole page is loaded, with files from the cache of the browser. */
async function timeToRow(page: Page, url: string, row: string): Promise<number> {
  await page.goto('about:blank');
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(row).first().waitFor();
  return Math.round(performance.now() - began);
}

const report = (measured: readonly Measured[], jobs: number): Report => ({
  name: 'console',
  command: 'npm run bench -- console',
  tables: [
    {
      title: `Time to the first row, ms: ${jobs} jobs and ${jobs * EXECUTIONS_PER_JOB} executions of one user`,
      columns: ['page', 'first load', 'median of the next', 'max'],
      rows: measured.map(({ name, first, again }) => [name, first, rank(again, 0.5), rank(again, 1)]),
    },
  ],
  notes: [
    'From the address to the first row in a real browser, which shares the cores with the server. Each load starts the page anew, with its files from the cache.',
    `${LOADS} loads of each page. The aim is 1,000 ms.`,
  ],
});
