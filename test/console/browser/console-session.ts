// A running local server with the console, and pages of a real browser on it. A test fails if its page logs an error, throws, or
// violates the content security policy. No request is mocked.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { signToken, tokenKey } from '../../../src/local/tokens.ts';
import { type Folder, startLocal, temporaryFolder } from '../../support/processes.ts';
import { until } from '../../support/until.ts';
import { launchChromium } from './chromium.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** The server builds the console at its first request. */
const BUILT_WITHIN_MS = 120_000;

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface OpenOptions {
  readonly user?: string;
  readonly operator?: boolean;
  readonly context?: BrowserContextOptions;
  /** Messages of the browser's console that the test expects, such as that of a refused request. */
  readonly expected?: RegExp;
}

export type Call = Awaited<ReturnType<typeof startLocal>>['as'] extends (user: string) => infer Client
  ? Client
  : never;

export interface ConsoleSession {
  readonly url: () => string;
  /** Calls the API as a user. */
  as(user: string): Call;
  /** Opens a path of the console, such as `/jobs`, with the login link of a user. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  stopServer(): Promise<void>;
}

/** Registers the hooks of a suite: one server and one browser for all of its tests, new pages for each. */
export function useConsole(env: Record<string, string> = {}): ConsoleSession {
  let folder: Folder;
  let local: Awaited<ReturnType<typeof startLocal>>;
  let browser: Browser;
  let problems: string[] = [];

  beforeAll(async () => {
    folder = temporaryFolder();
    [local, browser] = await Promise.all([startLocal(folder.path, env), launchChromium()]);
    await until('the console is built', () => isBuilt(local.url), {
      withinMs: BUILT_WITHIN_MS,
      everyMs: 250,
    });
  }, BUILT_WITHIN_MS + 30_000);
  afterAll(async () => {
    await browser?.close();
    await local?.stop();
    folder?.remove();
  });
  afterEach(async ({ task }) => {
    const pages = browser.contexts().flatMap((context) => context.pages());
    if (task.result?.state === 'fail') for (const page of pages) console.error(await textOf(page));
    for (const context of browser.contexts()) await context.close();
    const found = problems;
    problems = [];
    expect(found, 'problems that the browser reported').toEqual([]);
  });

  return {
    url: () => local.url,
    as: (user) => local.as(user),
    async open(path, { user = 'me', operator = false, context = {}, expected } = {}) {
      const opened = await browser.newContext({
        viewport: DESKTOP,
        locale: 'en-US',
        timezoneId: 'Europe/Paris',
        ...context,
      });
      const page = await opened.newPage();
      watch(page, (problem) => {
        if (!expected?.test(problem)) problems.push(problem);
      });
      const token = await signToken(
        await tokenKey(folder.path),
        user,
        operator ? ['punctual-operators'] : [],
      );
      await page.goto(`${local.url}/console${path}#token=${token}`);
      return page;
    },
    async stopServer() {
      await local.stop('SIGKILL');
    },
  };
}

/** What a page of a failed test showed. A page that does not answer is named as such. */
async function textOf(page: Page): Promise<string> {
  const text = await page
    .locator('body')
    .ariaSnapshot({ timeout: 2000 })
    .catch((error: Error) => `no text: ${error.message}`);
  return `── ${page.url().replace(/#.*/, '')}\n${text}`;
}

/** A server that is still building answers with a page that reloads itself. */
async function isBuilt(url: string): Promise<boolean> {
  const response = await fetch(`${url}/console/`);
  return response.ok && !response.headers.has('refresh');
}

/** The browser reports violations of the content security policy as errors of its console. */
function watch(page: Page, report: (problem: string) => void): void {
  page.on('pageerror', (error) => report(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      report(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
}

/** The phone layout of Cloudscape's toolbar has a known violation, which is not ours. */
const AXE_EXCEPTIONS = ['[class*="awsui_mobile-bar"]'];

/** Resolves when no animation runs any more, other than those without an end. */
const ANIMATIONS_END = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
  .map(({ finished }) => finished)).then(() => undefined)`;

/** Asserts that axe finds no violation on the page. `what` names the page in the failure. */
export async function expectAccessible(page: Page, what = 'the page'): Promise<void> {
  // Trusted types refuse a script element with text, so the source runs by the debugger protocol.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  // in the middle of a fade, colours are not those of the page
  await page.evaluate(ANIMATIONS_END);
  const violations = await page.evaluate(
    (exclude) =>
      // @ts-expect-error: axe is a global of the page
      axe
        .run({ exclude })
        .then((results: { violations: { id: string; nodes: { html: string }[] }[] }) =>
          results.violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n  ')}`,
          ),
        ),
    AXE_EXCEPTIONS,
  );
  expect.soft(violations, `violations that axe found on ${what}`).toEqual([]);
}

/** Asserts that the page does not scroll sideways. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width, 'the width of the page').toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}
