// Workers and the system, as an operator sees them.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { expectAccessible, PHONE, useConsole } from './console-session.ts';

const session = useConsole();

const rows = (page: Page, label: string) => page.locator(`table[aria-label="${label}"] tbody tr[data-row]`);

it('shows slots, running executions, counts and shards', async () => {
  const { body: job } = await session.as('me')('POST', '/jobs', {
    ...{ name: 'long', task: 'noop', params: { durationMs: 600_000 } },
  });
  await session.as('me')('POST', '/jobs', { task: 'noop', schedule: { every: 'PT1S' } });
  const page = await session.open('/workers', { user: 'boss', operator: true });
  const running = rows(page, 'Running executions').filter({ hasText: job.id });
  await running.waitFor({ timeout: 60_000 });
  await until('an execution has been counted', async () =>
    /\d+ succeeded/.test((await rows(page, 'Workers').first().textContent()) ?? ''),
  );
  const worker = await rows(page, 'Workers').first().textContent();
  expect(worker).toMatch(/[1-9]\d* of \d+/);
  expect(worker).toContain('active');
  await page.getByText('Embedded: one process with SQLite').waitFor();
  await page.getByRole('img', { name: /In the last hour, [1-9]\d* executions succeeded/ }).waitFor();
  await page.getByRole('button', { name: /^Shards/ }).click();
  await rows(page, 'Shards').first().getByText('Shard 0').waitFor();
  await expectAccessible(page);
  const phone = await session.open('/workers', {
    ...{ user: 'boss', operator: true, context: { viewport: PHONE, colorScheme: 'dark' } },
  });
  await rows(phone, 'Running executions').first().waitFor();
  expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(phone);
  await running.getByRole('link').first().click();
  await page.waitForURL((url) => url.pathname.startsWith(`/console/executions/${job.id}.`));
});

it('is not in the menu of a user, who gets one refusal', async () => {
  let requests = 0;
  const page = await session.open('/tasks', { user: 'somebody', expected: /403/ });
  page.on('response', (response) => {
    if (response.status() === 403) requests++;
  });
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  expect(await page.getByRole('link', { name: 'Workers' }).count()).toBe(0);
  await page.goto(`${session.url()}/console/workers`);
  await page.getByText('operators').first().waitFor();
  await page.getByText('Request id').waitFor();
  expect(requests).toBe(1);
  await expectAccessible(page);
});
