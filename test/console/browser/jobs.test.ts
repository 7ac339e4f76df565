// The list of jobs, as a user works with it.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, PHONE, useConsole } from './console-session.ts';

const session = useConsole();

const noop = (name: string, more: object = {}) => ({
  ...{ name, task: 'noop', schedule: { cron: '0 9 * * *', timezone: 'Asia/Kolkata' } },
  ...more,
});

async function create(user: string, ...jobs: object[]): Promise<string[]> {
  const { body } = await session.as(user)('POST', '/jobs/batch', { jobs });
  return body.results.map(({ job }: { job: { id: string } }) => job.id);
}

const rows = (page: Page) => page.locator('table[aria-label="Jobs"] tbody tr[data-row]');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

it('offers examples to a user without jobs, and creates one with a click', async () => {
  const page = await session.open('/jobs', { user: 'newcomer' });
  await page.getByRole('heading', { name: 'You have no jobs yet' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create this job: Fails twice, then succeeds' }).click();
  await row(page, 'fails-twice').waitFor();
  const { body } = await session.as('newcomer')('GET', '/jobs');
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['fails-twice']);
});

it('shows status, next run, schedule and tags, on a desk and on a phone', async () => {
  await create('reader', noop('report', { tags: { team: 'billing' } }));
  const page = await session.open('/jobs', { user: 'reader' });
  await row(page, 'report').waitFor();
  const text = await row(page, 'report').textContent();
  for (const part of [
    'active',
    'no run yet',
    '04:30:00',
    'CET',
    'At 09:00 every day, Asia/Kolkata',
    'noop',
    'team:billing',
  ])
    expect(text).toContain(part);
  await expectAccessible(page);
  const phone = await session.open('/jobs', {
    user: 'reader',
    context: { viewport: PHONE, colorScheme: 'dark' },
  });
  await row(phone, 'report').waitFor();
  expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(phone);
});

it('has the filter, the order and the zone in the address', async () => {
  await create(
    'filters',
    noop('alpha'),
    noop('beta', { tags: { team: 'x' } }),
    noop('gamma', { tags: { team: 'x' } }),
  );
  const page = await session.open('/jobs?tag=team:x&sort=-name&tz=job', { user: 'filters' });
  await row(page, 'gamma').waitFor();
  expect(await rows(page).locator('a').allInnerTexts()).toEqual(['gamma', 'beta']);
  expect(await row(page, 'gamma').textContent()).toContain('09:00:00');
  await page.getByRole('button', { name: 'Name' }).click();
  await page.waitForURL((url) => !url.searchParams.has('sort'));
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row(page, 'alpha').waitFor();
  expect(new URL(page.url()).search).toBe('?tz=job');
});

it('works by keys: move, select, pause with a note, and open', async () => {
  const [second, first] = await create('keys', noop('second'), noop('first'));
  const page = await session.open('/jobs?sort=name', { user: 'keys' });
  await row(page, 'first').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 job selected').waitFor();
  await page.getByRole('button', { name: 'Refresh: paused' }).waitFor();
  await page.keyboard.press('p');
  await page.getByRole('textbox', { name: 'Note' }).fill('holiday');
  await page.getByRole('button', { name: 'Pause job', exact: true }).click();
  await page.getByText('1 of 1 done').waitFor();
  const { body: changes } = await session.as('keys')('GET', `/jobs/${first}/changes`);
  expect(changes.items[0]).toMatchObject({ what: 'paused', note: 'holiday' });
  expect((await session.as('keys')('GET', `/jobs/${second}`)).body.status).toBe('active');
  await row(page, 'second').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.endsWith(`/jobs/${second}`));
});

it('changes many jobs as a task, and lists what was refused', async () => {
  const ids = await create('many', ...Array.from({ length: 12 }, (_, index) => noop(`job-${index}`)));
  const page = await session.open('/jobs', { user: 'many', expected: /409/ });
  await row(page, 'job-11').waitFor();
  await page.getByLabel('Select all rows').check();
  await session.as('many')('DELETE', `/jobs/${ids[3]}`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Pause 12 jobs?').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Pause jobs' }).click();
  await page.getByText('11 of 12 done, 1 refused').waitFor();
  await expectAccessible(page);
  const { body } = await session.as('many')('GET', '/jobs?status=paused&limit=100');
  expect(body.items).toHaveLength(11);
});

it('changes all jobs of a filter, also those that are not loaded', async () => {
  await create('filter', ...Array.from({ length: 100 }, (_, index) => noop(`a-${index}`)));
  await create('filter', noop('a-last'), noop('b'));
  const page = await session.open('/jobs?name=a-', { user: 'filter' });
  await rows(page).first().waitFor();
  await page.getByLabel('Select all rows').check();
  await page.getByRole('button', { name: 'Select all jobs of this filter' }).click();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Pause 101 jobs?').waitFor();
  await page.getByRole('button', { name: 'Pause jobs' }).click();
  await page.getByText('101 of 101 done').waitFor();
  const { body } = await session.as('filter')('GET', '/jobs?status=active');
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['b']);
});

it('renders the visible rows of a long list only', async () => {
  for (const part of ['a', 'b', 'c'])
    await create('long', ...Array.from({ length: 100 }, (_, index) => noop(`${part}-${index}`)));
  const page = await session.open('/jobs', { user: 'long' });
  for (const loaded of ['(200+)', '(300)']) {
    await page.getByRole('button', { name: 'Load more jobs' }).click();
    await page.getByText(loaded, { exact: true }).waitFor();
  }
  expect(await rows(page).count()).toBeLessThan(150);
  await page.keyboard.press('j');
  await page.locator('tr[aria-rowindex="2"]:focus').waitFor();
  await page.keyboard.press('End');
  await page.locator('tr[aria-rowindex="301"]:focus').waitFor();
});

it('saves a view, and shows it again', async () => {
  await create('saver', noop('one', { tags: { team: 'x' } }), noop('two'));
  const page = await session.open('/jobs?tag=team:x', { user: 'saver' });
  await row(page, 'one').waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Team x');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Team x' }).waitFor();
  await page.goto(`${session.url()}/console/jobs`);
  await row(page, 'two').waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Team x' }).click();
  await row(page, 'two').waitFor({ state: 'detached' });
  expect(await rows(page).count()).toBe(1);
});

it('finds jobs as you type, and goes to an id', async () => {
  const [id = ''] = await create('search', noop('nightly-report'));
  const page = await session.open('/jobs', { user: 'search', expected: /404/ });
  await row(page, 'nightly-report').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('nightly');
  await page.getByRole('option', { name: /nightly-report/ }).click();
  await page.waitForURL((url) => url.pathname.endsWith(`/jobs/${id}`));
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await row(page, 'nightly-report').waitFor();
  await page.keyboard.press('Control+k');
  // The page of the execution says that there is none.
  await page.keyboard.insertText(`${id}.1796119200000`);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.endsWith(`/executions/${id}.1796119200000`));
});

it('names the wrong value of a filter, with the request id', async () => {
  const page = await session.open('/jobs?status=nonsense', { expected: /400/ });
  await page.getByText('got "nonsense"').waitFor();
  await page.getByText('Request id').waitFor();
  await expectAccessible(page);
});

it('shows all keys, and the list as a command', async () => {
  const page = await session.open('/jobs', { user: 'newcomer' });
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Next time zone').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'As command' }).click();
  await page.getByRole('menuitem', { name: 'As CLI' }).click();
  await page.getByText('punctual list --recent').waitFor();
});

// The last test, because it ends the server.
it('forgets the selection when the filter changes', async () => {
  await create('selects', noop('alpha'), noop('beta', { tags: { team: 'x' } }));
  const page = await session.open('/jobs?tag=team:x', { user: 'selects' });
  await row(page, 'beta').waitFor();
  await page.getByLabel('Select all rows').check();
  await page.getByText('1 job selected').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row(page, 'alpha').waitFor();
  expect(await page.getByText('1 job selected').count()).toBe(0);
  await page.getByRole('button', { name: 'Refresh: live' }).waitFor();
});

it('runs a job once while its key is held down', async () => {
  const [id] = await create('holds', noop('held'));
  const page = await session.open('/jobs', { user: 'holds' });
  await row(page, 'held').focus();
  for (let press = 0; press < 5; press++) await page.keyboard.down('r');
  await page.keyboard.up('r');
  await page.getByText('1 of 1 done').first().waitFor();
  const { body } = await session.as('holds')('GET', `/jobs/${id}/executions`);
  expect(body.items).toHaveLength(1);
});

it('finds the job of a pasted path, and opens it once', async () => {
  const [id] = await create('pastes', noop('pasted'));
  const page = await session.open('/jobs', { user: 'pastes' });
  await row(page, 'pasted').waitFor();
  const steps = await page.evaluate('history.length');
  await page.keyboard.press('/');
  await page.keyboard.insertText(`/jobs/${id}`);
  await page.getByRole('option', { name: id }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.endsWith(`/jobs/${id}`));
  expect(await page.evaluate('history.length')).toBe(Number(steps) + 1);
});

it('says that the server does not answer, and from when the data are', async () => {
  await create('offline', noop('kept'));
  const page = await session.open('/jobs', {
    user: 'offline',
    expected: /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/,
  });
  await row(page, 'kept').waitFor();
  await session.stopServer();
  await page.getByText('Offline: the server does not answer.').waitFor();
  await page.getByText('The data are from').waitFor();
  await row(page, 'kept').waitFor();

  // A page without data shows the problem, and keeps it while it tries again.
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByText('The server did not answer').waitFor();
  await page.evaluate(`
    window.removed = 0;
    new MutationObserver((changes) => {
      for (const { removedNodes } of changes)
        for (const node of removedNodes) if (node.querySelector?.('.problem-detail')) window.removed++;
    }).observe(document.querySelector('main'), { childList: true, subtree: true });
  `);
  for (let failed = 0; failed < 4; failed++) await page.waitForEvent('requestfailed');
  expect(await page.evaluate('window.removed')).toBe(0);
});
