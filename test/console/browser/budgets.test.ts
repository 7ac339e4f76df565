// The budgets of the console, measured in a real browser and printed. Those of time are asserted with PUNCTUAL_BUDGETS=1 only,
// because another program on the machine may take the processor.
import type { CDPSession, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { useConsole } from './console-session.ts';

const session = useConsole();

const MAX_FIRST_LOAD_BYTES = 450 * 1024;
const MAX_FIRST_LOAD_FILES = 12;
const MAX_KEYSTROKE_MS = 50;
const EXECUTIONS = 1000;
const assertsTime = process.env.PUNCTUAL_BUDGETS === '1';

const report = (text: string): void => console.info(`budget: ${text}`);

it('loads at most 12 files and 450 KB before the first screen', async () => {
  const page = await session.open('/');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await (await page.context().newCDPSession(page)).send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForTimeout(1000);
  const loaded = (await page.evaluate(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => new URL(name).pathname.startsWith('/console/'))
      .map(({ name, encodedBodySize: bytes, decodedBodySize: decoded }) => ({ name, bytes, decoded }))
  `)) as { name: string; bytes: number; decoded: number }[];
  const bytes = loaded.reduce((sum, file) => sum + file.bytes, 0);
  report(`first load: ${loaded.length} files, ${(bytes / 1024).toFixed(0)} KB`);
  expect(loaded.length).toBeGreaterThan(3);
  expect(loaded.length).toBeLessThanOrEqual(MAX_FIRST_LOAD_FILES);
  expect(bytes).toBeGreaterThan(100 * 1024);
  expect(bytes).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
  for (const { name, bytes: sent, decoded } of loaded.filter((file) => file.name.endsWith('.js')))
    expect(sent, `${name} is compressed`).toBeLessThan(decoded);
});

/** The processor time of the page's main thread, in milliseconds. */
async function cpuMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}

it('handles a keystroke in the cron field', async () => {
  const page = await session.open('/jobs/new?task=noop');
  const field = page.getByRole('textbox', { name: /cron/i }).first();
  await field.waitFor();
  await page.evaluate(`localStorage.setItem('punctual.refresh', 'off')`);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await field.fill('');
  const costs: number[] = [];
  for (const key of '*/15 8-18 1,15 * MON-FRI') {
    await page.waitForTimeout(150);
    const before = await cpuMs(devtools);
    await field.press(key === ' ' ? 'Space' : key);
    await page.waitForTimeout(150);
    costs.push((await cpuMs(devtools)) - before);
  }
  expect(await field.inputValue()).toBe('*/15 8-18 1,15 * MON-FRI');
  const sorted = costs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  report(
    `keystroke in the cron field: median ${median.toFixed(0)} ms, at most ${sorted.at(-1)?.toFixed(0)} ms`,
  );
  if (assertsTime) expect(median).toBeLessThanOrEqual(MAX_KEYSTROKE_MS);
});

it('scrolls 1,000 executions', async () => {
  const many = session.as('many');
  const from = new Date(Date.now() - (EXECUTIONS / 2 + 10) * 60_000).toISOString();
  // One backfill has at most 1,000 executions, so there are two.
  for (const name of ['past', 'past too']) {
    const { body: job } = await many('POST', '/jobs', {
      ...{ name, task: 'noop', schedule: { every: 'PT1M', startAt: from } },
    });
    const { status } = await many('POST', `/jobs/${job.id}/backfill`, { from, to: new Date().toISOString() });
    expect(status).toBeLessThan(300);
  }
  await until('all executions have ended', () => hasExecutions(EXECUTIONS), {
    withinMs: 90_000,
    everyMs: 1000,
  });
  const page = await session.open('/executions', { user: 'many' });
  await page.locator('tr[data-row]').first().waitFor();
  await page.evaluate(`localStorage.setItem('punctual.refresh', 'off')`);
  await loadAll(page);
  expect(await page.locator('tr[data-row]').count()).toBeLessThan(200);
  await page.waitForTimeout(1000);
  await page.evaluate(`
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: 'longtask' });
  `);
  await page.mouse.move(700, 500);
  for (let turn = 0; turn < 40; turn++) {
    await page.mouse.wheel(0, 800);
    await page.waitForTimeout(30);
  }
  const longTasks = (await page.evaluate('window.longTasks')) as number[];
  report(
    `scroll of ${EXECUTIONS} executions: ${longTasks.length} long tasks${longTasks.map((ms) => ` ${ms.toFixed(0)} ms`).join(',')}`,
  );
  if (assertsTime) expect(longTasks).toEqual([]);
});

async function hasExecutions(count: number): Promise<boolean> {
  let found = 0;
  let cursor: string | undefined;
  for (let page = 0; page < 20; page++) {
    const { body } = await session.as('many')(
      'GET',
      `/executions?limit=100&status=succeeded${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    found += body.items.length;
    cursor = body.nextCursor;
    if (cursor === undefined || found >= count) break;
  }
  return found >= count;
}

async function loadAll(page: Page): Promise<void> {
  const rows = () => page.locator('table[aria-rowcount]').last().getAttribute('aria-rowcount');
  for (let pages = 1; pages < EXECUTIONS / 100; pages++) {
    const before = await rows();
    await page.getByRole('button', { name: 'Load more executions' }).click();
    await until('the next page is shown', async () => (await rows()) !== before, { withinMs: 30_000 });
  }
}
