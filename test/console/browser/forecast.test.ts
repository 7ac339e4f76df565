// The load of the coming day.
import { expect, it } from 'vitest';
import { expectAccessible, PHONE, useConsole } from './console-session.ts';

const session = useConsole();

const daily = (name: string) => ({ name, task: 'noop', schedule: { cron: '0 9 * * *', timezone: 'UTC' } });

it('lists the jobs of a cell, and fills the jitter into the form of a job', async () => {
  const { body } = await session.as('me')('POST', '/jobs/batch', {
    jobs: [
      daily('first'),
      daily('second'),
      { name: 'tick', task: 'noop', schedule: { every: 'PT10S' } },
      { name: 'hourly', task: 'noop', schedule: { cron: '30 * * * *', timezone: 'UTC' } },
    ],
  });
  const first = body.results[0].job.id;
  const nine = new Date(body.results[0].job.nextRunAt).toISOString();
  const page = await session.open(`/forecast?at=${nine}&tz=utc`);
  await page.getByText('2 runs start in the same second').waitFor();
  await page.getByText('09:00 to 09:05 UTC').waitFor();
  await page.getByText('Base line: about 30 more in each cell').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Add jitter of up to 5 min to first' }).click();
  await page.waitForURL((url) => url.pathname === `/console/jobs/${first}/edit`);
  await page.getByRole('button', { name: 'Review changes' }).first().click();
  await page.getByRole('dialog').getByText('jitterSeconds').first().waitFor();
});

it('is used by keys, on a phone, and as a table', async () => {
  await session.as('keys')('POST', '/jobs', daily('alone'));
  const page = await session.open('/forecast?tz=utc', {
    user: 'keys',
    context: { viewport: PHONE, colorScheme: 'dark' },
  });
  const map = page.getByRole('slider', { name: 'forecast, a cell by the arrow keys' });
  await map.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.waitForURL((url) => url.searchParams.has('at'));
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show forecast as table' }).click();
  await page.getByRole('cell', { name: '09:00 UTC' }).waitFor();
});

it('shows operators the next minutes of all users, in at most 4 requests', async () => {
  const requests: string[] = [];
  await session.as('someone')('POST', '/jobs', { task: 'noop', schedule: { every: 'PT1S' } });
  const page = await session.open('/tasks', { user: 'boss', operator: true });
  page.on('request', (request) => {
    if (!request.url().includes('/console/')) requests.push(request.url());
  });
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('heading', { name: 'All users, the next minutes' }).waitFor();
  await page.getByText('Busiest second:').waitFor();
  await page.getByText('You have no active jobs').waitFor();
  expect(new Set(requests).size).toBeLessThanOrEqual(4);
  await expectAccessible(page);
});
