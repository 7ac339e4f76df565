// The list of executions: filters in the address, following, and a long list.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { DESKTOP, expectAccessible, PHONE, useConsole } from './console-session.ts';

// A cancel reaches a running task with its next heartbeat.
const session = useConsole({ PUNCTUAL_HEARTBEAT_MS: '500' });

async function create(user: string, ...jobs: object[]): Promise<string[]> {
  const { body } = await session.as(user)('POST', '/jobs/batch', {
    jobs: jobs.map((job) => ({ task: 'noop', ...job })),
  });
  return body.results.map(({ job }: { job: { id: string } }) => job.id);
}

async function ended(user: string, query: string, count: number): Promise<void> {
  await until(`${count} executions have ended`, async () => {
    const { body } = await session.as(user)('GET', `/executions?limit=100&${query}`);
    const isEnded = ({ status }: { status: string }) => status !== 'running' && status !== 'queued';
    return body.items.filter(isEnded).length === count;
  });
}

const rows = (page: Page) => page.locator('table[aria-label="Executions"] tbody tr[data-row]');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

it('shows what ended and what runs, with the error', async () => {
  await create('me', { name: 'good' }, { name: 'bad', params: { fail: true } });
  await create('me', { name: 'long', params: { durationMs: 600_000 } });
  await ended('me', '', 2);
  const page = await session.open('/executions', { user: 'me' });
  await row(page, 'long').getByText('running').waitFor();
  await row(page, 'good').getByText('succeeded').waitFor();
  await row(page, 'bad').getByText('DoNotRetry: params.fail is true').waitFor();
  expect(await rows(page).count()).toBe(3);
  await expectAccessible(page);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Execution', level: 1 }).waitFor();
});

it('has status, job, range and order in the address', async () => {
  const [id] = await create('filters', { name: 'alpha' }, { name: 'beta' });
  await create('filters', { name: 'gamma', params: { fail: true } });
  await ended('filters', '', 3);
  const page = await session.open('/executions?status=succeeded&range=1h&sort=job', { user: 'filters' });
  await row(page, 'alpha').waitFor();
  expect(await rows(page).locator('td:first-child').allTextContents()).toEqual(['alpha', 'beta']);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row(page, 'gamma').waitFor();
  expect(new URL(page.url()).search).toBe('?range=1h&sort=job');

  await page.getByRole('button', { name: /Due time/ }).click();
  await page.getByRole('option', { name: 'Last 7 days' }).click();
  await page.waitForURL((url) => url.searchParams.get('range') === '7d');

  for (const job of ['alpha', id]) {
    await page.goto(`${session.url()}/console/executions?job=${job}`);
    await row(page, 'alpha').waitFor();
    expect(await rows(page).count()).toBe(1);
  }
  await page.goto(`${session.url()}/console/executions?to=2020-01-01T00:00:00Z`);
  await page.getByText('No execution matches the filter').waitFor();
});

it('names the wrong value of a filter, and offers the owner to operators only', async () => {
  const page = await session.open('/executions?from=yesterday', { user: 'wrong', expected: /400/ });
  await page.getByText('got "yesterday"').waitFor();
  await expectAccessible(page);
  await create('somebody', { name: 'theirs' });
  await ended('somebody', '', 1);
  const operator = await session.open('/executions?owner=somebody', { user: 'ops', operator: true });
  await row(operator, 'theirs').getByText('somebody').waitFor();
});

it('lists what a worker runs', async () => {
  await create('runs', { name: 'long-one', params: { durationMs: 600_000 } });
  await until('the execution runs', async () => {
    const { body } = await session.as('runs')('GET', '/executions?status=running');
    return body.items.length === 1;
  });
  const { body } = await session.as('runs')('GET', '/executions?status=running');
  const { workerId } = body.items[0];
  const page = await session.open(`/executions?workerId=${encodeURIComponent(workerId)}`, { user: 'runs' });
  await row(page, 'long-one').waitFor();
  expect(await rows(page).count()).toBe(1);
});

it('follows: new executions appear, and a running one ends in its place', async () => {
  const page = await session.open('/executions', { user: 'follower' });
  await page.getByText('Nothing has run yet').waitFor();
  await page.getByText('Follow', { exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get('follow') === '1');
  const [id] = await create('follower', { name: 'slow', params: { durationMs: 600_000 } });
  await row(page, 'slow').getByText('running').waitFor();
  await create('follower', { name: 'quick' });
  await row(page, 'quick').getByText('succeeded').waitFor();
  await expectAccessible(page);
  await session.as('follower')('DELETE', `/jobs/${id}`);
  await row(page, 'slow').getByText('cancelled', { exact: true }).waitFor();
  expect(await rows(page).count()).toBe(2);
});

it('scrolls through a thousand rows, of which it renders the visible ones', async () => {
  for (let batch = 0; batch < 10; batch++)
    await create('many', ...Array.from({ length: 100 }, (_, index) => ({ name: `run-${batch}-${index}` })));
  const listed = async () => {
    let count = 0;
    let cursor = '';
    do {
      const { body } = await session.as('many')('GET', `/executions?limit=100&status=succeeded${cursor}`);
      count += body.items.length;
      cursor = body.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(body.nextCursor)}`;
    } while (cursor !== '');
    return count;
  };
  await until('a thousand executions have ended', async () => (await listed()) === 1000, {
    withinMs: 60_000,
  });
  const page = await session.open('/executions?status=succeeded', { user: 'many' });
  for (let loaded = 200; loaded <= 1000; loaded += 100) {
    await page.getByRole('button', { name: 'Load more executions' }).click();
    await page.getByText(loaded === 1000 ? '(1000)' : `(${loaded}+)`, { exact: true }).waitFor();
  }
  await page.evaluate('scrollTo(0, 0)');
  await page.setViewportSize({ width: 1024, height: 800 });
  const rightOf = (selector: string) =>
    page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().right`);
  expect(await rightOf('thead th:nth-child(5)'), 'the last column of a small page').toBe(
    await rightOf('table.row-table'),
  );
  await page.setViewportSize(DESKTOP);
  for (let step = 0; step < 20; step++) {
    await page.mouse.wheel(0, 2_000);
    expect(await rows(page).count()).toBeLessThan(150);
  }
  await page.keyboard.press('j');
  await page.locator('tr[aria-rowindex="2"]:focus').waitFor();
  await page.keyboard.press('End');
  await page.locator('tr[aria-rowindex="1001"]:focus').waitFor();
}, 120_000);

it('fits a phone, in the dark', async () => {
  await create('phone', { name: 'a-job-with-a-name-that-is-much-too-long-for-a-phone' });
  await ended('phone', '', 1);
  const context = { viewport: PHONE, colorScheme: 'dark' } as const;
  const page = await session.open('/executions', { user: 'phone', context });
  await row(page, 'a-job').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(page);
});
