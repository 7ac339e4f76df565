// The documentation page of the API, `/docs`: what it keeps of a token.
import { expect, it } from 'vitest';
import { useConsole } from './console-session.ts';

const session = useConsole();

it('keeps no token in the storage of the browser, and removes one that an earlier version stored', async () => {
  const page = await session.open('/jobs');
  await page.goto(`${session.url()}/docs`);
  const stored = () => page.evaluate<string>('JSON.stringify([{ ...localStorage }, document.cookie])');
  const authorize = page.getByRole('button', { name: 'Authorize', exact: true }).first();
  const dialog = page.locator('.dialog-ux');
  await authorize.click();
  await dialog.getByRole('textbox').fill('token-of-a-user');
  await dialog.locator('button.authorize').click();
  await dialog.getByRole('textbox').waitFor({ state: 'detached' });
  expect(await stored()).not.toContain('token-of');

  const earlier = { bearer: { name: 'bearer', schema: { type: 'http' }, value: 'token-of-earlier-version' } };
  await page.evaluate((value) => localStorage.setItem('authorized', value), JSON.stringify(earlier));
  await page.reload();
  await authorize.click();
  await dialog.getByRole('textbox').waitFor();
  expect(await stored()).not.toContain('token-of');
});
