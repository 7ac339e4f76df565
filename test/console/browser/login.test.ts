// The login of local mode: the link that `npm start` prints.
import { expect, it } from 'vitest';
import { expectAccessible, useConsole } from './console-session.ts';

const session = useConsole();

it('opens by the link, and removes the token from the address', async () => {
  const page = await session.open('/jobs');
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  expect(page.url()).toBe(`${session.url()}/console/jobs`);
  await page.reload();
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await expectAccessible(page);
});

it('explains how to log in without a token', async () => {
  const page = await session.open('/jobs');
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${session.url()}/console/jobs`);
  await page.getByText('npx punctual token').waitFor();
  await expectAccessible(page);
});

it('comes back to the draft of a form after the login has expired', async () => {
  const page = await session.open('/jobs/new', { expected: /401/ });
  await page.getByRole('textbox', { name: 'Name' }).fill('kept');
  await page.waitForURL(/#draft=/);
  const token = await page.evaluate(() => sessionStorage.getItem('punctual.token') ?? '');
  await page.evaluate(() => sessionStorage.setItem('punctual.token', 'no.longer.valid'));
  await page.getByRole('heading', { name: 'Your login has expired' }).waitFor();
  await page.goto(`${session.url()}/console/#token=${token}`);
  await page.getByRole('heading', { name: 'Create job' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('kept');
});

it('asks before a link of another user replaces the session, and names both users', async () => {
  const page = await session.open('/jobs', { user: 'alice' });
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  const userNow = () =>
    page.evaluate(() => JSON.parse(atob(sessionStorage.getItem('punctual.token')?.split('.')[1] ?? '')).sub);
  const other = await session.open('/jobs', { user: 'mallory' });
  const token = await other.evaluate(() => sessionStorage.getItem('punctual.token') ?? '');

  // a link that changes the fragment only is ignored, and its token does not stay in the address
  await page.evaluate(`location.hash = '#token=${token}'`);
  await page.waitForURL(`${session.url()}/console/jobs`);
  await page.reload();
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  expect([await userNow(), await page.getByRole('dialog').count()]).toEqual(['alice', 0]);

  await page.goto(`${session.url()}/console/#token=${token}`);
  const dialog = page.getByRole('dialog', { name: 'Switch to the user mallory?' });
  await dialog.getByText('You are logged in as alice').waitFor();
  expect([page.url().includes('token'), await userNow()]).toEqual([false, 'alice']);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Go back' }).click();
  await page.reload();
  expect([await page.getByRole('dialog').count(), await userNow()]).toEqual([0, 'alice']);

  await page.goto(`${session.url()}/console/jobs#token=${token}`);
  await page.reload();
  await page.goto(`${session.url()}/console/#token=${token}`);
  await dialog.getByRole('button', { name: 'Switch user' }).click();
  await expect.poll(userNow).toBe('mallory');
});

it('does not load the page again for a fragment without a token', async () => {
  const page = await session.open('/jobs');
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await page.evaluate("globalThis.isSamePage = true; location.hash = '#elsewhere'");
  for (let polls = 0; polls < 2; polls++) await page.waitForResponse(/\/jobs\?/);
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
});
