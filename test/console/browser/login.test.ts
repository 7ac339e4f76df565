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

it('does not load the page again for a fragment without a token', async () => {
  const page = await session.open('/jobs');
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await page.evaluate("globalThis.isSamePage = true; location.hash = '#elsewhere'");
  for (let polls = 0; polls < 2; polls++) await page.waitForResponse(/\/jobs\?/);
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
});
