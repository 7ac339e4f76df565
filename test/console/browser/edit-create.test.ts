// The form that creates a job, in a real browser on a real server.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, PHONE, useConsole } from './console-session.ts';

const session = useConsole();
/** A page may load for seconds on a busy machine. */
const SOON = { timeout: 20_000 };
const me = () => session.as('me');

const cronField = (page: Page) => page.getByRole('textbox', { name: 'Cron pattern' });
const sentence = (page: Page) => page.locator('[data-part="sentence"]');
const firstTime = (page: Page) => page.locator('.edit-times tbody tr').first();
const save = (page: Page) => page.getByRole('button', { name: 'Create job' }).first().click();
const chooseTask = (page: Page, name: string) =>
  page.getByRole('radio', { name, exact: false }).first().check();

/** The job that the form has created. Its id is in the address. */
async function created(page: Page) {
  await page.waitForURL(/\/jobs\/job_\w+$/);
  const id = page.url().split('/').at(-1) ?? '';
  const { status, body } = await me()('GET', `/jobs/${id}`);
  expect(status).toBe(200);
  return body;
}

describe('the form that creates a job', () => {
  it('shows the sentence, the times and the clock changes of a pattern with each keystroke, and creates the job', async () => {
    const page = await session.open('/jobs/new');
    await chooseTask(page, 'noop');
    await cronField(page).fill('');
    await cronField(page).pressSequentially('0 9 * *');
    await expect.poll(() => sentence(page).textContent(), SOON).toContain('not valid');
    await page.locator('[data-field="schedule.cron"]').getByText('has 4 fields').waitFor();
    await cronField(page).pressSequentially(' *');
    await expect.poll(() => sentence(page).textContent(), SOON).toBe('At 09:00 every day, Europe/Paris time');
    expect(await page.locator('.edit-times tbody tr').count()).toBe(10);
    expect(await firstTime(page).textContent()).toMatch(/09:00:00 CES?T/);
    await page.locator('[data-warning="dstGap"]', { hasText: 'not affected' }).waitFor();
    await cronField(page).fill('30 2 * * *');
    await page.locator('[data-warning="dstGap"]', { hasText: /Clocks in Europe\/Paris skip/ }).waitFor();
    await page.locator('[data-warning="dstOverlap"]', { hasText: 'first time only' }).waitFor();
    await page.locator('[data-plan="year"]', { hasText: /36\d runs in a year/ }).waitFor();
    await page.getByRole('button', { name: /When clocks skip a time/ }).click();
    await page.getByRole('option', { name: 'No run' }).click();
    await page.locator('[data-warning="dstGap"]', { hasText: 'does not run then' }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('by-form');
    await expectAccessible(page);
    await save(page);
    expect(await created(page)).toMatchObject({
      name: 'by-form',
      task: 'noop',
      schedule: { cron: '30 2 * * *', timezone: 'Europe/Paris', dst: { gap: 'skip' } },
    });
  });

  it('keeps the preview in view, but not over the policies', async () => {
    const page = await session.open('/jobs/new?task=noop');
    await cronField(page).waitFor();
    const edge = (selector: string, side: 'top' | 'bottom') =>
      page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().${side}`);
    for (const position of [0, 300, 700]) {
      await page.evaluate(`scrollTo(0, ${position})`);
      expect(await edge('.edit-side', 'bottom')).toBeLessThan(await edge('.edit-rest', 'top'));
    }
  });

  it('shows a week of a pattern with too many runs for a year, and the jobs that share its minutes', async () => {
    const other = { name: 'other-job', task: 'noop', schedule: { cron: '*/20 * * * *' } };
    expect((await me()('POST', '/jobs', other)).status).toBe(201);
    const page = await session.open('/jobs/new?task=noop');
    await cronField(page).fill('*/10 * * * *');
    await page.locator('[data-plan="week"]').waitFor();
    await page.locator('[data-part="collisions"]', { hasText: 'other-job' }).waitFor();
    await page.getByRole('button', { name: /add a jitter of 60 seconds/ }).click();
    await expect.poll(() => sentence(page).textContent(), SOON).toContain('delayed by up to 60 seconds');
  });

  it('keeps the times in another tab where it can, and restores the text', async () => {
    const page = await session.open('/jobs/new?task=noop');
    await cronField(page).fill('15 8,20 * * 1-5');
    await page.getByRole('tab', { name: 'Calendar' }).click();
    const hour = page.getByRole('checkbox', { name: 'Hour 8' });
    expect(await hour.getAttribute('aria-checked')).toBe('true');
    await expect
      .poll(() => sentence(page).textContent(), SOON)
      .toBe('At 08:15 and 20:15 on Mondays to Fridays, Europe/Paris time');
    await page.getByRole('tab', { name: 'Cron' }).click();
    expect(await cronField(page).inputValue()).toBe('15 8,20 * * 1-5');
    await page.getByRole('tab', { name: 'Calendar' }).click();
    await page.getByRole('checkbox', { name: 'Hour 20' }).click();
    await page.getByRole('tab', { name: 'Cron' }).click();
    expect(await cronField(page).inputValue()).toBe('15 8 * * MON-FRI');
  });

  it('saves each kind of schedule', async () => {
    const kinds: [tab: string, fill: (page: Page) => Promise<unknown>, expected: object][] = [
      ['Now', async () => {}, { at: expect.any(String) }],
      [
        'Once',
        async (page) => {
          await page.getByRole('textbox', { name: 'Time: date' }).fill('2031/05/06');
          await page.getByRole('textbox', { name: 'Time: time' }).fill('07:08:09');
        },
        { at: '2031-05-06T07:08:09+02:00', timezone: 'Europe/Paris' },
      ],
      [
        'Every',
        (page) => page.getByRole('textbox', { name: 'Every: number' }).fill('7'),
        { every: 'PT7M', startAt: expect.any(String) },
      ],
      [
        'Calendar',
        async (page) => {
          await page.getByRole('checkbox', { name: 'Last day of the month' }).click();
          for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])
            await page.getByRole('checkbox', { name: day }).click();
        },
        { calendar: { hour: [9], minute: [0], date: ['L'] }, timezone: 'Europe/Paris' },
      ],
    ];
    for (const [tab, fill, expected] of kinds) {
      const page = await session.open('/jobs/new?task=noop');
      await page.getByRole('tab', { name: tab }).click();
      await fill(page);
      await save(page);
      expect((await created(page)).schedule, tab).toEqual(expected);
      await page.close();
    }
  });

  it('shows the errors of the server at their fields until they are changed', async () => {
    const page = await session.open('/jobs/new?task=http', { expected: /400|422/ });
    const url = page.getByRole('textbox', { name: 'URL' });
    await url.fill('not a url');
    await page.getByRole('textbox', { name: 'Attempts' }).fill('many');
    await save(page);
    await page
      .locator('[data-field="params.url"]', { hasText: /URL/ })
      .getByText(/must be/i)
      .waitFor();
    await page
      .locator('[data-field="retry.maxAttempts"]')
      .getByText(/must be a number from 1 to 100/i)
      .waitFor();
    await page.getByText('2 fields are not valid').waitFor();
    await expectAccessible(page);
    await url.fill('http://127.0.0.1:9/');
    await page.getByText('One field is not valid').waitFor();
    await page.getByRole('button', { name: 'retry.maxAttempts' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('2');
    await save(page);
    expect(await created(page)).toMatchObject({
      retry: { maxAttempts: 2 },
      params: { url: 'http://127.0.0.1:9/' },
    });
  });

  it('edits params as a form and as JSON', async () => {
    const page = await session.open('/jobs/new?task=http');
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/');
    await page.getByRole('button', { name: 'JSON' }).click();
    const editor = page.getByRole('textbox', { name: 'Params' });
    await expect.poll(() => editor.textContent(), SOON).toContain('127.0.0.1');
    await editor.press('ControlOrMeta+a');
    await editor.pressSequentially('{"url":');
    await page.getByText(/Params is not JSON/).waitFor();
    await editor.press('ControlOrMeta+a');
    await page.keyboard.insertText('{"url":"http://127.0.0.1:8/","headers":{"A":"b"},"body":{"day":1}}');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Form' }).click();
    expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe('http://127.0.0.1:8/');
    expect(await page.getByRole('textbox', { name: 'Name of header 1' }).inputValue()).toBe('A');
    await page.getByRole('button', { name: 'Value of header 1: use a secret' }).click();
    await page.getByRole('textbox', { name: 'Value of header 1: name of the secret' }).fill('token');
    await save(page);
    expect((await created(page)).params).toEqual({
      url: 'http://127.0.0.1:8/',
      headers: { A: { $secret: 'token' } },
      body: { day: 1 },
    });
  });

  it('restores the draft after a reload, and creates a duplicate', async () => {
    const page = await session.open('/jobs/new?task=noop');
    await cronField(page).fill('7 7 * * *');
    await page.getByRole('textbox', { name: 'Name' }).fill('draft of a name');
    await expect.poll(() => page.url(), SOON).toContain('draft');
    await expect.poll(() => decodeURIComponent(page.url()), SOON).toContain('draft of a name');
    await page.reload();
    await expect.poll(() => cronField(page).inputValue(), SOON).toBe('7 7 * * *');
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('draft of a name');
    await save(page);
    const { id } = await created(page);
    expect(page.url()).not.toContain('draft');

    const copy = await session.open(`/jobs/new?from=${id}`);
    await copy.getByRole('heading', { name: 'Duplicate job' }).waitFor();
    await save(copy);
    expect(await created(copy)).toMatchObject({
      name: 'draft of a name copy',
      schedule: { cron: '7 7 * * *' },
    });
  });

  it('can be used with the keyboard alone', async () => {
    const page = await session.open('/jobs/new');
    await page.getByRole('radio', { name: 'http' }).waitFor();
    const tabTo = async (matches: () => Promise<boolean>) => {
      for (let presses = 0; presses < 60; presses++) {
        if (await matches()) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('the keyboard does not reach the control');
    };
    const focused = (condition: string) => () =>
      page.evaluate(
        `(() => { const element = document.activeElement; return ${condition}; })()`,
      ) as Promise<boolean>;
    await tabTo(focused(`element.type === 'radio'`));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await tabTo(focused(`element.matches('[data-field="params.url"] input')`));
    await page.keyboard.type('http://127.0.0.1:9/');
    await tabTo(focused(`element.getAttribute('role') === 'tab'`));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await tabTo(focused(`element.getAttribute('role') === 'checkbox'`));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await page.keyboard.press('ControlOrMeta+Enter');
    expect(await created(page)).toMatchObject({ task: 'http', schedule: { calendar: expect.anything() } });
  });

  it('costs less than 50 ms of processor time for a keystroke in the cron field', async () => {
    const page = await session.open('/jobs/new?task=noop');
    await cronField(page).fill('0 9 * * MON-FRI');
    await page.locator('[data-plan="year"]').waitFor();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    const taskSeconds = async () => {
      const { metrics } = await cdp.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    };
    await cronField(page).press('End');
    // Warm up: the first keystrokes compile the code.
    for (const key of ['Backspace', 'I', 'Backspace', 'I']) await cronField(page).press(key);
    await page.waitForTimeout(600);
    const before = await taskSeconds();
    const keys = ['Backspace', 'I', 'Backspace', 'I', 'Backspace', 'I', 'Backspace', 'I', 'Backspace', 'I'];
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForTimeout(600);
    const perKey = ((await taskSeconds()) - before) / keys.length;
    expect(perKey * 1000).toBeLessThan(50);
  });

  it('fits a phone', async () => {
    const page = await session.open('/jobs/new?task=noop', { context: { viewport: PHONE, hasTouch: true } });
    await page.locator('[data-plan="year"]').waitFor();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await expectAccessible(page);
  });
});
