// The overview, with real runs, failures, a running execution and a paused job.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { expectAccessible, PHONE, useConsole } from './console-session.ts';

const session = useConsole();

const RARELY = { cron: '0 9 1 1 *' };

async function create(user: string, job: object): Promise<string> {
  const { status, body } = await session.as(user)('POST', '/jobs', { task: 'noop', ...job });
  expect(status).toBe(201);
  return body.id;
}

/** A user with a job of every kind that the overview shows. */
async function prepare(user: string) {
  const call = session.as(user);
  const good = await create(user, { name: 'good' });
  const bad = await create(user, { name: 'bad', params: { fail: true } });
  await create(user, { name: 'long', params: { durationMs: 600_000 } });
  const planned = await create(user, { name: 'planned', schedule: RARELY });
  const paused = await create(user, { name: 'resting', schedule: RARELY });
  await call('POST', `/jobs/${paused}/pause`);
  const count = async (path: string) => (await call('GET', path)).body.items.length;
  await until('two executions have ended, and one runs', async () => {
    const ended = (await count(`/jobs/${good}/executions`)) + (await count('/dead-letters'));
    return ended === 2 && (await count('/executions?status=running')) === 1;
  });
  return { good, bad, planned, paused };
}

const panel = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
const figure = (page: Page, title: string) =>
  page.locator('.key-figures > div').filter({ has: page.getByText(title, { exact: true }) });

it('offers examples to a user without jobs', async () => {
  const page = await session.open('/', { user: 'newcomer' });
  await page.getByRole('heading', { name: 'You have no jobs yet' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create this job: Weekdays at nine' }).click();
  await panel(page, 'Next runs').getByRole('link', { name: 'weekdays-at-nine' }).waitFor();
});

it('shows lateness, failures by group, what runs, what comes and what does not', async () => {
  const { bad, planned, paused } = await prepare('me');
  const page = await session.open('/', { user: 'me' });
  await panel(page, 'Latest starts').getByRole('link', { name: 'good' }).waitFor();
  expect(await figure(page, 'On time?').textContent()).toMatch(/\d ms/);
  expect(await figure(page, 'Running now').getByRole('link').textContent()).toBe('1');
  expect(await figure(page, 'Failed since yesterday').getByRole('link').textContent()).toBe('1');
  expect(await panel(page, 'Running now').textContent()).toContain('long');
  const group = panel(page, 'Failed since yesterday').getByRole('link', { name: /params\.fail is true/ });
  expect(await group.getAttribute('href')).toMatch(/\/dead-letters\?error=./);
  expect(await panel(page, 'Next runs').textContent()).toContain('planned');
  expect(await panel(page, 'Next runs').textContent()).not.toContain('resting');
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Run now: planned' }).click();
  await page.getByText('1 of 1 done').waitFor();
  const runs = await session.as('me')('GET', `/jobs/${planned}/executions`);
  expect(runs.body.items[0].trigger).toBe('manual');

  await page.getByRole('button', { name: 'Resume: resting' }).click();
  await panel(page, 'Next runs').getByRole('link', { name: 'resting' }).waitFor();
  expect((await session.as('me')('GET', `/jobs/${paused}`)).body.status).toBe('active');
  expect((await session.as('me')('GET', `/jobs/${bad}`)).body.status).toBe('failed');
});

it('asks for the deployment only for operators, and needs four requests otherwise', async () => {
  await create('plain', { name: 'planned', schedule: RARELY });
  const page = await session.open('/jobs', { user: 'plain' });
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await page.evaluate(`localStorage.setItem('punctual.refresh', 'off')`);
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  await page.goto(`${session.url()}/console/`);
  await panel(page, 'Next runs').waitFor();
  await page.getByText('Nothing was due').waitFor();
  const api = paths.filter((path) => !path.startsWith('/console/')).sort();
  expect(api).toEqual(['/dead-letters/groups', '/executions', '/executions/summary', '/jobs']);
  expect(await page.getByRole('tab', { name: 'Deployment' }).count()).toBe(0);
});

it('shows lag, workers and load to operators in a tab, as a picture and as a table', async () => {
  await create('ops', { name: 'every-second', schedule: { every: 'PT1S' } });
  const page = await session.open('/', { user: 'ops', operator: true });
  await page.getByRole('tab', { name: 'Deployment' }).click();
  await page.waitForURL((url) => url.search === '?tab=deployment');
  const deployment = page.getByRole('tabpanel');
  await deployment.getByText('Dispatch lag').waitFor();
  await deployment.getByText(/\d+ of \d+ in use/).waitFor();
  await page.getByRole('img', { name: /executions are due in the next \d+ minutes/ }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show due executions as table' }).click();
  await page.getByRole('columnheader', { name: 'Minute' }).waitFor();
});

it('fits a phone, in the dark', async () => {
  await create('phone', { name: 'a-job-with-a-name-that-is-much-too-long-for-a-phone', schedule: RARELY });
  const context = { viewport: PHONE, colorScheme: 'dark' } as const;
  const page = await session.open('/', { user: 'phone', operator: true, context });
  await panel(page, 'Next runs').waitFor();
  for (const tab of ['Your jobs', 'Deployment']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('heading', { name: tab === 'Deployment' ? tab : 'Next runs' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page, tab);
  }
});
