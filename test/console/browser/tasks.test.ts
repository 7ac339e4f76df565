// The tasks of the server, and a job that begins with one.
import { expect, it } from 'vitest';
import { expectAccessible, PHONE, useConsole } from './console-session.ts';

const session = useConsole();

it('lists the tasks, and opens one by keys', async () => {
  const page = await session.open('/tasks');
  const row = page.locator('table[aria-label="Tasks"] tbody tr[data-row="http"]');
  await row.waitFor();
  expect(await row.textContent()).toContain('url, method');
  await expectAccessible(page);
  await row.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Task http', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/tasks/http');
});

it('shows the params and the schema of a task, also on a phone', async () => {
  for (const context of [{}, { viewport: PHONE, colorScheme: 'dark' as const }]) {
    const page = await session.open('/tasks/http', { context });
    const table = page.locator('.param-table');
    await table.getByText('expectedStatuses').waitFor();
    expect(await table.getByRole('row', { name: /^method/ }).textContent()).toContain(
      'methodGET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    );
    expect(await table.getByRole('row', { name: /^url/ }).textContent()).toContain('urlrequired');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page);
  }
});

it('begins a job with the task, or with its example', async () => {
  const page = await session.open('/tasks/noop', { user: 'creator' });
  await page.getByRole('button', { name: 'Create job with this task' }).click();
  await page.waitForURL((url) => url.pathname === '/console/jobs/new' && url.search === '?task=noop');
  await page.getByRole('heading', { name: 'Task: noop' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Create with this example' }).click();
  await page.getByRole('heading', { name: 'Task: noop' }).waitFor();
  await page.getByRole('button', { name: 'Create job', exact: true }).first().click();
  await page.waitForURL((url) => /^\/console\/jobs\/job_/.test(url.pathname));
  const { body } = await session.as('creator')('GET', '/jobs');
  expect(body.items.map(({ params }: { params: object }) => params)).toEqual([
    { durationMs: 500, failTimes: 1, result: { rows: 3 } },
  ]);
});

it('names the tasks if there is none of the address', async () => {
  const page = await session.open('/tasks/%E0%A4');
  await page.getByText('This server has no task "%E0%A4"').waitFor();
  await page.goto(`${session.url()}/console/tasks/none%2Fsuch`);
  await page.getByText('This server has no task "none/such"').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'noop' }).click();
  await page.getByRole('heading', { name: 'Task noop' }).waitFor();
});
