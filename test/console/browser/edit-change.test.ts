// The form that edits a job, in a real browser on a real server.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, useConsole } from './console-session.ts';

const session = useConsole();
/** A page may load for seconds on a busy machine. */
const SOON = { timeout: 20_000 };
const me = () => session.as('me');

const JOB = {
  name: 'edited',
  task: 'http',
  params: { url: 'http://127.0.0.1:9/', headers: { A: 'b' } },
  schedule: { cron: '0 */6 * * *', timezone: 'UTC' },
  tags: { team: 'billing' },
};

async function create(fields: object = {}): Promise<{ id: string; version: number }> {
  const { status, body } = await me()('POST', '/jobs', { ...JOB, ...fields });
  expect(status).toBe(201);
  return body;
}

const stored = async (id: string) => (await me()('GET', `/jobs/${id}`)).body;

const cronField = (page: Page) => page.getByRole('textbox', { name: 'Cron pattern' });
const review = (page: Page) => page.getByRole('button', { name: 'Review changes' }).first().click();
const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click();
const saved = (page: Page, id: string) => page.waitForURL((url) => url.pathname.endsWith(`/jobs/${id}`));

describe('the form that edits a job', () => {
  it('says under its title that there is no such job', async () => {
    const page = await session.open(`/jobs/job_${'0'.repeat(20)}/edit`, { expected: /404/ });
    await page.getByRole('heading', { name: 'Edit job', level: 1 }).waitFor();
    await page.getByText('Not found, or not yours').waitFor();
    await expectAccessible(page);
  });

  it('shows the difference and its effect on the next day, and saves with the reason', async () => {
    const { id } = await create();
    const page = await session.open(`/jobs/${id}/edit`);
    await page.getByRole('heading', { name: 'Edit edited' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe('http://127.0.0.1:9/');
    await cronField(page).fill('0 */4 * * *');
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:8/');
    await review(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row', { name: /schedule.cron/ }).waitFor();
    await dialog.getByRole('row', { name: /params.url/ }).waitFor();
    expect(await dialog.getByRole('row').count()).toBe(3);
    await dialog
      .locator('[data-part="effect"]', { hasText: /2 runs stay, 4 are new, 2 no longer start/ })
      .waitFor();
    await expectAccessible(page);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('more often');
    await save(page);
    await saved(page, id);
    expect(await stored(id)).toMatchObject({
      version: 2,
      schedule: { cron: '0 */4 * * *' },
      params: { url: 'http://127.0.0.1:8/', headers: { A: 'b' } },
    });
    const { body } = await me()('GET', `/jobs/${id}/changes`);
    expect(body.items[0]).toMatchObject({ what: 'edited', note: 'more often' });
  });

  it('shows both versions if somebody else has saved, and merges them by field', async () => {
    const { id } = await create();
    const page = await session.open(`/jobs/${id}/edit`, { expected: /412/ });
    await cronField(page).fill('0 3 * * *');
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:7/mine');
    await review(page);
    const other = { params: { url: 'http://127.0.0.1:6/theirs' }, tags: { team: 'ops' } };
    expect((await me()('PATCH', `/jobs/${id}`, other)).status).toBe(200);
    await save(page);
    const dialog = page.getByRole('dialog', { name: /Somebody else has changed this job/ });
    await dialog.waitFor();
    await dialog.getByText('changed by both').waitFor();
    await expectAccessible(page);
    expect(await dialog.getByRole('radio', { name: 'Take my schedule' }).isChecked()).toBe(true);
    expect(await dialog.getByRole('radio', { name: 'Take their tags.team' }).isChecked()).toBe(true);
    await dialog.getByRole('radio', { name: 'Take their params.url' }).check();
    await dialog.getByRole('button', { name: 'Continue with this choice' }).click();
    await review(page);
    expect(await page.getByRole('dialog').getByRole('row').count()).toBe(2);
    await save(page);
    await saved(page, id);
    expect(await stored(id)).toMatchObject({
      version: 3,
      schedule: { cron: '0 3 * * *' },
      params: { url: 'http://127.0.0.1:6/theirs' },
      tags: { team: 'ops' },
    });
  });

  it('restores the draft of an edit after a reload, and compares it with a version saved since', async () => {
    const { id } = await create();
    const page = await session.open(`/jobs/${id}/edit`);
    await page.getByRole('textbox', { name: 'Timeout in seconds' }).fill('77');
    await expect.poll(() => page.url(), SOON).toContain('draft');
    await page.reload();
    const timeout = page.getByRole('textbox', { name: 'Timeout in seconds' });
    await expect.poll(() => timeout.inputValue(), SOON).toBe('77');
    expect((await me()('PATCH', `/jobs/${id}`, { tags: { team: 'ops' } })).status).toBe(200);
    await page.reload();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Take my timeoutSeconds' }).waitFor();
    await dialog.getByRole('button', { name: 'Continue with this choice' }).click();
    await review(page);
    await save(page);
    await saved(page, id);
    expect(await stored(id)).toMatchObject({ timeoutSeconds: 77, tags: { team: 'ops' }, version: 3 });
  });

  it('says that a job changes while it is edited', async () => {
    const { id } = await create();
    const page = await session.open(`/jobs/${id}/edit`);
    await cronField(page).waitFor();
    expect((await me()('PATCH', `/jobs/${id}`, { timeoutSeconds: 55 })).status).toBe(200);
    await page.getByText('You edit version 1. The job now has version 2.').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Continue with this choice' }).click();
    const timeout = page.getByRole('textbox', { name: 'Timeout in seconds' });
    await expect.poll(() => timeout.inputValue(), SOON).toBe('55');
  });

  it('shows an error of the server at its field', async () => {
    const { id } = await create();
    const page = await session.open(`/jobs/${id}/edit`, { expected: /400/ });
    await page.getByRole('checkbox', { name: /Concurrency limit/ }).check();
    await review(page);
    await save(page);
    await page
      .locator('[data-field="limit.key"]')
      .getByText(/printable ASCII/)
      .waitFor();
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('billing');
    await review(page);
    await save(page);
    await saved(page, id);
    expect(await stored(id)).toMatchObject({ limit: { key: 'billing', concurrent: 1 } });
  });

  it('has nothing to review before a change, and says that a job of somebody else is not found', async () => {
    const { id } = await create();
    const page = await session.open(`/jobs/${id}/edit`);
    await cronField(page).waitFor();
    const button = page.getByRole('button', { name: 'Review changes' }).first();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    const stranger = await session.open(`/jobs/${id}/edit`, { user: 'stranger', expected: /404/ });
    await stranger.getByText('Not found, or not yours').waitFor();
  });
});
