// The page of a job: what it shows, and what can be done there.
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { expectAccessible, expectNoOverflow, PHONE, useConsole } from './console-session.ts';

const session = useConsole();
const me = (...request: Parameters<ReturnType<typeof session.as>>) => session.as('me')(...request);

async function create(job: object): Promise<string> {
  const { body } = await me('POST', '/jobs', { task: 'noop', ...job });
  return body.id;
}

const isCut = (element: { scrollWidth: number; clientWidth: number }) =>
  element.scrollWidth > element.clientWidth;

const LONG_NAME = `long-${'name-'.repeat(18)}`;
let ran: Promise<string> | undefined;

/** A job with a long name that has run several times and is paused, so that its page stands still. Made once. */
const jobThatRan = (): Promise<string> => {
  ran ??= (async () => {
    const id = await create({ name: LONG_NAME, schedule: { every: 'PT1S' } });
    await until('it has run', async () => {
      const { body } = await me('GET', `/jobs/${id}/executions?status=succeeded`);
      return body.items.length >= 3;
    });
    await me('POST', `/jobs/${id}/pause`, { note: 'enough runs' });
    return id;
  })();
  return ran;
};

it('shows the runs, their lateness and the plan, and follows new runs', async () => {
  const id = await create({ name: 'often', schedule: { every: 'PT1S' }, tags: { team: 'billing' } });
  const page = await session.open(`/jobs/${id}`);
  await page.getByRole('heading', { name: 'often', level: 1 }).waitFor();
  await page.getByText('every second').first().waitFor();
  // A new run appears without a reload.
  await page.getByRole('img', { name: /^[3-9] runs: / }).waitFor();
  await page.getByRole('img', { name: /^Lateness of/ }).waitFor();
  await page.getByRole('heading', { name: 'Next runs' }).waitFor();
  await me('POST', `/jobs/${id}/pause`);
  await page.getByRole('button', { name: 'Show runs as table' }).click();
  await page.getByRole('region', { name: 'Table of runs' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Execution', level: 1 }).waitFor();
});

it('is accessible in every tab, and has the tab in its address', async () => {
  const id = await jobThatRan();
  const page = await session.open(`/jobs/${id}`);
  await page.getByRole('img', { name: /runs?: / }).waitFor();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Executions' }).click();
  await page.waitForURL('**?tab=executions');
  const table = page.getByRole('table', { name: 'Executions' });
  await table.waitFor();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Changes' }).click();
  await page.getByText('enough runs').last().waitFor();
  await page.getByRole('heading', { name: 'Paused by me' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Definition' }).click();
  expect(await page.getByRole('region', { name: 'definition' }).textContent()).toContain('"every": "PT1S"');
  await expectAccessible(page);
});

it('filters the executions by the address', async () => {
  const id = await jobThatRan();
  const page = await session.open(`/jobs/${id}?tab=executions&status=failed`);
  await page.getByText('No execution matches the filter').waitFor();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('tab', { name: 'Executions' }).click();
  await page.getByRole('table', { name: 'Executions' }).waitFor();
});

it('pauses with a note by the keyboard, and resumes', async () => {
  const id = await create({ name: 'to pause', schedule: { cron: '0 3 * * *' } });
  const page = await session.open(`/jobs/${id}`);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('p');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Note' }).fill('the receiver is being moved');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Pause job' }).click();
  await page.getByText('Note: the receiver is being moved').waitFor();
  expect((await me('GET', `/jobs/${id}`)).body.status).toBe('paused');
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  expect((await me('GET', `/jobs/${id}`)).body.status).toBe('active');
});

it('pauses until a time', async () => {
  const id = await create({ name: 'until', schedule: { cron: '0 3 * * *' } });
  const page = await session.open(`/jobs/${id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('textbox', { name: 'Until: date' }).fill('2099/01/02');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause job' }).click();
  await page.getByText('The job is paused').waitFor();
  expect((await me('GET', `/jobs/${id}`)).body.pausedUntil).toBe('2099-01-02T00:00:00.000Z');
});

it('runs with other params, after it has refused what is not JSON', async () => {
  const id = await create({ name: 'by hand', schedule: { cron: '0 3 * * *' } });
  const page = await session.open(`/jobs/${id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Run with other params' }).click();
  const params = page.getByRole('dialog').getByRole('textbox', { name: 'Params' });
  await params.fill('{ "result": ');
  await page.getByText('Params is not JSON').waitFor();
  expect(await page.getByRole('button', { name: 'Run job' }).isDisabled()).toBe(true);
  await params.fill('{ "result": "only now" }');
  await page.getByRole('button', { name: 'Run job' }).click();
  await page.getByRole('heading', { name: 'Execution', level: 1 }).waitFor();
  await page.getByText('"only now"').first().waitFor();
});

it('says how many occurrences a backfill runs, and shows its progress', async () => {
  const startAt = new Date(Date.now() - 5.5 * 3_600_000).toISOString();
  const id = await create({ name: 'filled', schedule: { every: 'PT1H', startAt } });
  const page = await session.open(`/jobs/${id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Backfill' }).click();
  await page
    .getByRole('dialog')
    .getByText(/6 occurrences in the range/)
    .waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Run 6 occurrences' }).click();
  await page.getByText('Backfill filled').waitFor();
  await until('all have run', async () => {
    const { body } = await me('GET', `/jobs/${id}/executions?status=succeeded&limit=100`);
    return body.items.length === 6;
  });
  await page.getByRole('img', { name: /^6 runs: 6 succeeded/ }).waitFor();
});

it('goes to the next and the previous job of the list', async () => {
  await create({ name: 'neighbour a', schedule: { cron: '0 3 * * *' } });
  await create({ name: 'neighbour b', schedule: { cron: '0 3 * * *' } });
  const page = await session.open('/jobs?name=neighbour');
  await page.getByRole('link', { name: 'neighbour b' }).click();
  await page.getByRole('heading', { name: 'neighbour b', level: 1 }).waitFor();
  await page.keyboard.press(']');
  await page.getByRole('heading', { name: 'neighbour a', level: 1 }).waitFor();
  await page.keyboard.press('[');
  await page.getByRole('heading', { name: 'neighbour b', level: 1 }).waitFor();
});

it('says that the job of another user is not found', async () => {
  const id = await create({ name: 'mine', schedule: { cron: '0 3 * * *' } });
  const page = await session.open(`/jobs/${id}`, { user: 'somebody', expected: /404/ });
  await page.getByText('Not found, or not yours').waitFor();
});

it('fits a phone, also with a long name', async () => {
  const id = await jobThatRan();
  const page = await session.open(`/jobs/${id}`, { context: { viewport: PHONE } });
  await page.getByRole('img', { name: /runs?: / }).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.goto(`${page.url()}?tab=executions`);
  const due = page
    .getByRole('table', { name: 'Executions' })
    .locator('td')
    .filter({ has: page.locator('time') });
  await due.first().waitFor();
  expect(await due.first().evaluate(isCut), 'the due time is cut').toBe(false);
  await expectNoOverflow(page);
});
