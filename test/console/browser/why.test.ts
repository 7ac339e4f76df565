// Why a job did or did not run, and the audit of a range.
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { expectAccessible, expectNoOverflow, PHONE, useConsole } from './console-session.ts';

const session = useConsole();
const me = (...request: Parameters<ReturnType<typeof session.as>>) => session.as('me')(...request);

/** A job whose runs last longer than its interval, so that some are skipped. Paused, so that its page stands still. */
async function createSkipped(): Promise<{ id: string; dueAt: string }> {
  const { body: job } = await me('POST', '/jobs', {
    name: 'too long',
    task: 'noop',
    params: { durationMs: 2500 },
    schedule: { every: 'PT1S' },
    overlap: 'skip',
  });
  const dueAt = await until('an occurrence is skipped', async () => {
    const { body } = await me('GET', `/jobs/${job.id}/executions?status=skipped`);
    return body.items[0]?.dueAt;
  });
  await me('POST', `/jobs/${job.id}/pause`, { note: 'seen enough' });
  return { id: job.id, dueAt };
}

it('explains a skipped occurrence, and finds it in the audit of a range', async () => {
  const { id, dueAt } = await createSkipped();
  const page = await session.open(`/jobs/${id}/why?at=${dueAt}`);
  const verdict = page.getByRole('region', { name: 'Explanation' });
  await verdict.getByText('It was skipped, because the previous run was not over').waitFor();
  await verdict.getByText('set overlap to queue or allow', { exact: false }).waitFor();
  expect(await verdict.getByRole('listitem').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL(/from=.*&to=/);
  // The fields are in the zone that they name, which is that of the job and not that of the browser.
  const to = Date.parse(new URL(page.url()).searchParams.get('to') ?? '');
  expect(Math.abs(to - Date.now())).toBeLessThan(30 * 60_000);
  const findings = page.getByRole('table', { name: 'Findings' });
  await findings.getByText('skipped').first().waitFor();
  await expectAccessible(page);
  await findings.getByRole('link', { name: 'Explain' }).last().click();
  await page.waitForURL(/at=/);
  await verdict.waitFor();
});

it('explains a pause with a link to the change, reached from the page of the job', async () => {
  const { body: job } = await me('POST', '/jobs', {
    name: 'paused',
    task: 'noop',
    schedule: { every: 'PT1S' },
  });
  await me('POST', `/jobs/${job.id}/pause`, { note: 'the receiver is being moved' });
  const pausedAt = Date.now();
  const page = await session.open(`/jobs/${job.id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Why did it not run?' }).click();
  await page.waitForURL(`**/jobs/${job.id}/why`);
  // The occurrence nearest to the time must be one after the pause.
  await until('two occurrences are over', () => Date.now() > pausedAt + 2_000);
  const at = new Date(pausedAt + 1_500).toISOString();
  await page.goto(`${session.url()}/console/jobs/${job.id}/why?at=${at}`);
  const verdict = page.getByRole('region', { name: 'Explanation' });
  await verdict.getByRole('link', { name: /the receiver is being moved/ }).click();
  await page.waitForURL(`**/jobs/${job.id}?tab=changes`);
  await page.getByRole('heading', { name: 'Paused by me' }).waitFor();
});

it('refuses a time that the API does not understand, and says so', async () => {
  const { id } = await createSkipped();
  const page = await session.open(`/jobs/${id}/why?at=yesterday`, { expected: /400/ });
  await page.getByText(/at: /).first().waitFor();
});

it('says that the job of another user is not found', async () => {
  const { id } = await createSkipped();
  const page = await session.open(`/jobs/${id}/why`, { user: 'somebody', expected: /404/ });
  await page.getByText('Not found, or not yours').first().waitFor();
});

it('fits a phone', async () => {
  const { id } = await createSkipped();
  const to = new Date(Date.now() + 1000).toISOString();
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const page = await session.open(`/jobs/${id}/why?from=${from}&to=${to}`, { context: { viewport: PHONE } });
  await page.getByRole('table', { name: 'Findings' }).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
});
