// The page of an execution.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { expectAccessible, expectNoOverflow, PHONE, useConsole } from './console-session.ts';

// Progress and cancels travel with the heartbeat.
const session = useConsole({
  PUNCTUAL_HEARTBEAT_MS: '500',
  PUNCTUAL_TASKS_FOLDER: resolve(import.meta.dirname, '../../fixtures/tasks'),
});

const ended = ['succeeded', 'failed', 'skipped', 'cancelled'];

/** Creates a job that runs now, and resolves with its execution in one of the statuses. */
async function run(job: object, statuses: readonly string[] = ended) {
  const me = session.as('me');
  const { body } = await me('POST', '/jobs', { task: 'noop', ...job });
  return until(`the execution of ${JSON.stringify(job)} is ${statuses.join(' or ')}`, async () => {
    const { body: found } = await me('GET', `/jobs/${body.id}`);
    return statuses.includes(found.lastExecution?.status) ? found.lastExecution : undefined;
  });
}

const fact = (page: Page, label: string) =>
  page
    .locator('dl > div, dl div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('dd')
    .first();

it('shows the attempts of a retried execution, and its waterfall as picture and as table', async () => {
  const { id } = await run({
    name: 'retried',
    params: { failTimes: 2 },
    retry: { maxAttempts: 3, backoffSeconds: 1 },
  });
  const page = await session.open(`/executions/${id}`);
  await page.getByRole('heading', { name: 'Execution', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'retried' }).waitFor();
  expect(await fact(page, 'Status').textContent()).toBe('succeeded');
  await page.getByRole('img', { name: /attempt/i }).waitFor();
  await page.getByRole('button', { name: 'Show waterfall as table' }).click();
  expect(await page.getByRole('region', { name: 'Table of waterfall' }).textContent()).toContain('attempt 3');
  const attempts = page.getByRole('table', { name: 'Attempts' });
  expect(await attempts.getByRole('row').count()).toBe(4);
  await expectAccessible(page);
});

it('runs a failed execution again, and links to the dead letters of its error', async () => {
  const { id } = await run({ name: 'failing', params: { fail: true } });
  const page = await session.open(`/executions/${id}`);
  await page.getByRole('link', { name: 'Dead letters with the same error' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Run again' }).click();
  await until('it ran again', async () => (await fact(page, 'Trigger').textContent()) === 'Retry or redrive');
});

it('cancels a running execution after a question', async () => {
  const { id } = await run({ name: 'long', params: { durationMs: 60_000 } }, ['running']);
  const page = await session.open(`/executions/${id}`);
  await page.getByRole('button', { name: 'Cancel execution' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel execution' }).click();
  await until('it is cancelled', async () => (await fact(page, 'Status').textContent()) === 'cancelled');
});

it('shows the progress and the log lines of a running task, as text', async () => {
  const { id } = await run({ name: 'half', task: 'half-done' }, ['running']);
  const page = await session.open(`/executions/${id}`);
  await page.getByRole('progressbar').waitFor();
  await page.getByText('<i>half</i> of the rows').waitFor();
  await page.getByText('50%').first().waitFor();
  const lines = page.getByRole('region', { name: 'Log lines' });
  await lines.getByText('one <b>line</b> {"of":"<img src=x onerror=alert(1)>"}').waitFor();
  expect(await lines.locator('.log-warn').textContent()).toContain('and another one');
  await expectAccessible(page);
});

it('goes to the neighbours by [ and ]', async () => {
  const me = session.as('me');
  const { body: job } = await me('POST', '/jobs', {
    name: 'often',
    task: 'noop',
    schedule: { every: 'PT1S' },
  });
  const list = await until('three executions', async () => {
    const { body } = await me('GET', `/jobs/${job.id}/executions?status=succeeded`);
    return body.items.length >= 3 ? body.items : undefined;
  });
  await me('POST', `/jobs/${job.id}/pause`);
  const page = await session.open(`/executions/${list[1].id}`);
  await page.getByRole('button', { name: 'Next execution' }).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('[');
  await page.waitForURL(`**/executions/${list[2].id}`);
  await page.keyboard.press(']');
  await page.waitForURL(`**/executions/${list[1].id}`);
});

it('leads operators to what the worker runs', async () => {
  const { id } = await run({ name: 'on a worker' });
  const { body } = await session.as('me')('GET', `/executions/${id}`);
  const page = await session.open(`/executions/${id}`, { operator: true });
  await page.getByRole('link', { name: 'What it runs now' }).click();
  await page.waitForURL((url) => url.searchParams.get('workerId') === body.workerId);
  await page.getByText('Worker id = ').first().waitFor();
});

it('says that the execution of another user is not found', async () => {
  const { id } = await run({ name: 'mine' });
  const page = await session.open(`/executions/${id}`, { user: 'somebody', expected: /404/ });
  await page.getByText('Not found, or not yours').waitFor();
});

it('fits a phone', async () => {
  const { id } = await run({ name: 'small', params: { result: { text: 'x'.repeat(300) } } });
  const page = await session.open(`/executions/${id}`, { context: { viewport: PHONE } });
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
});
