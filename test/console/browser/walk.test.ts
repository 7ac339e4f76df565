// A walk through every screen with data: in light, in dark and on a phone. With PUNCTUAL_SCREENSHOTS=<folder>, pictures are stored.
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { DESKTOP, expectAccessible, PHONE, useConsole } from './console-session.ts';
import { createSampleJobs, type SampleIds } from './sample-jobs.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MAX_REQUESTS = 4;

const session = useConsole();
let ids: SampleIds;
beforeAll(async () => {
  ids = await createSampleJobs(session.as('me'));
}, 120_000);

/** The paths of `SCREENS`. */
const screenPaths = (): string[] =>
  [...readFileSync(join(ROOT, 'console/routes.tsx'), 'utf8').matchAll(/path: '([^']+)'/g)].map(
    ([, path = '']) => path,
  );

/** The address of a screen: the parameters of its path are those of the sample. */
function addressOf(path: string): string {
  if (path.startsWith('/jobs/:id')) return path.replace(':id', ids.job);
  if (path === '/executions/:id') return `/executions/${ids.execution}`;
  return path.replace(':name', 'http');
}

const nameOf = (path: string): string => path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'overview';

/** A page is complete when nothing is read any more. Polling is off. */
async function complete(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PUNCTUAL_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

const MODES: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: DESKTOP, colorScheme: 'light' },
  dark: { viewport: DESKTOP, colorScheme: 'dark' },
  phone: { viewport: PHONE, colorScheme: 'light', hasTouch: true },
};

describe.each(Object.entries(MODES))('in the mode %s', (mode, context) => {
  it('every screen is accessible, fits the page and makes few requests', async () => {
    const page = await session.open('/tasks', { operator: true, context });
    await complete(page);
    await page.evaluate(`localStorage.setItem('punctual.refresh', 'off')`);
    for (const path of [...screenPaths(), '/?tab=deployment']) {
      const requests: string[] = [];
      const note = (request: { url(): string }) => {
        const { pathname, search } = new URL(request.url());
        if (!pathname.startsWith('/console/')) requests.push(pathname + search);
      };
      page.on('request', note);
      await page.goto(`${session.url()}/console${addressOf(path)}`);
      await complete(page);
      page.off('request', note);
      expect
        .soft(requests.length, `${path} requests ${requests.join(', ')}`)
        .toBeLessThanOrEqual(MAX_REQUESTS);
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect.soft(width, `${path} is wider than the page`).toBeLessThanOrEqual(0);
      await keepPicture(page, `${nameOf(path)}-${mode}`);
      await expectAccessible(page, path);
    }
  });
});

it('is used without a mouse: the side bar by Tab, and every screen by its letters', async () => {
  const page = await session.open('/', { operator: true });
  await complete(page);
  await until('the entry Tasks has the focus', async () => {
    await page.keyboard.press('Tab');
    return (await page.evaluate<string>('document.activeElement.textContent')).trim() === 'Tasks';
  });
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  const letters = [
    ...readFileSync(join(ROOT, 'console/routes.tsx'), 'utf8').matchAll(
      /path: '([^']+)',[^}]*menu: {[^}]*},\s*goKey: '(\w)'/g,
    ),
  ];
  expect(letters.length).toBeGreaterThan(4);
  for (const [, path = '', letter = ''] of letters) {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    await page.waitForURL((url) => url.pathname.replace(/\/$/, '') === `/console${path}`.replace(/\/$/, ''));
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  }
});

// The last test, because it ends the server.
it('says on every page that the server does not answer', async () => {
  const page = await session.open('/jobs', {
    expected: /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/,
  });
  await complete(page).catch(() => undefined);
  await session.stopServer();
  await page.getByText('Offline: the server does not answer.').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('heading', { name: 'Forecast', level: 1 }).waitFor();
  await page.getByText('Offline: the server does not answer.').waitFor();
});
