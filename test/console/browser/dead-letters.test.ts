// Dead letters: failures in groups, redriven one first and then the rest, or dismissed.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { expectAccessible, expectNoOverflow, PHONE, useConsole } from './console-session.ts';

const session = useConsole();

/** A receiver that refuses every request until it is mended. */
let receiver: Server;
let isMended = false;
beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume();
    response.statusCode = isMended ? 200 : 500;
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
});
afterAll(() => receiver.close());

/** Creates jobs of one user that fail, and waits until all are dead letters. */
async function fail(user: string, count: number, job: object) {
  const call = session.as(user);
  for (let number = 1; number <= count; number++)
    await call('POST', '/jobs', { name: `failing-${number}`, retry: { maxAttempts: 1 }, ...job });
  await until(`${count} dead letters`, async () => {
    const { body } = await call('GET', '/dead-letters');
    return body.items.length === count;
  });
}

const callReceiver = () => ({
  task: 'http',
  params: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` },
});

it('finds three failures in one group, and redrives one first, then the rest', async () => {
  await fail('ann', 3, callReceiver());
  const page = await session.open('/dead-letters', { user: 'ann' });
  const groups = page.getByRole('table', { name: 'Groups of dead letters' });
  await groups.getByText('3', { exact: true }).first().waitFor();
  expect(await groups.getByRole('row').count()).toBe(2);
  await page.getByRole('navigation').getByText('3 dead letters').waitFor();
  await expectAccessible(page);

  await groups.getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\?error=/);
  const list = page.getByRole('table', { name: 'Dead letters of the group' });
  await until('three rows', async () => (await list.getByRole('row').count()) === 4);
  await expectAccessible(page);

  // The cause is not mended yet, so the first one fails again and nothing else runs.
  await page.getByRole('button', { name: 'One first, then the rest' }).click();
  await page.getByText('The first execution failed again').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();

  isMended = true;
  await page.getByRole('button', { name: 'One first, then the rest' }).click();
  await page.getByText('The first execution succeeded').waitFor();
  await page.getByRole('button', { name: 'Redrive the rest (2)' }).click();
  await page.getByText('This group is empty').waitFor();
  // a redriven execution leaves the list before it runs
  await until('all three have succeeded', async () => {
    const { body } = await session.as('ann')('GET', '/executions?status=succeeded');
    return body.items.length === 3;
  });
});

it('redrives a whole group, also what is not loaded, in the order that the address has', async () => {
  isMended = false;
  const jobs = Array.from({ length: 101 }, (_, index) => ({
    ...{ name: `failing-${index}`, retry: { maxAttempts: 1 } },
    ...callReceiver(),
  }));
  const call = session.as('kim');
  await call('POST', '/jobs/batch', { jobs: jobs.slice(0, 100) });
  await call('POST', '/jobs/batch', { jobs: jobs.slice(100) });
  const failures = async () => {
    const { body } = await call('GET', '/dead-letters/groups');
    return body.items.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  };
  await until('all have failed', async () => (await failures()) === 101);
  const page = await session.open('/dead-letters', { user: 'kim' });
  await page.getByRole('table', { name: 'Groups of dead letters' }).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Job', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get('sort') === 'job');
  isMended = true;
  await page.getByRole('button', { name: 'Redrive all 100+' }).click();
  await page.getByText('Redrive 101 executions?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
  await page.getByText('101 of 101 done').waitFor();
  await until('none is left', async () => (await failures()) === 0);
});

it('groups by job, and dismisses after a question that says how many', async () => {
  await fail('ben', 2, { task: 'noop', params: { fail: true } });
  const page = await session.open('/dead-letters?by=job', { user: 'ben' });
  const groups = page.getByRole('table', { name: 'Groups of dead letters' });
  await until('two groups', async () => (await groups.getByRole('row').count()) === 3);
  await groups.getByRole('link', { name: 'failing-2' }).click();
  await page.getByRole('button', { name: 'Redrive it' }).waitFor();
  await page.getByRole('link', { name: 'failing-2' }).first().waitFor();
  await page.goBack();
  await page.getByText('By error').click();
  await until('one group', async () => (await groups.getByRole('row').count()) === 2);
  await groups.getByRole('row').nth(1).getByRole('link').first().click();
  await page.waitForURL(/\?error=/);
  const list = page.getByRole('table', { name: 'Dead letters of the group' });
  await list.getByRole('row').nth(1).focus();
  await page.keyboard.press('x');
  await page.getByText('1 execution selected').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Dismiss 1 execution?').waitFor();
  await dialog.getByRole('button', { name: 'Dismiss' }).click();
  await until('one is left', async () => (await list.getByRole('row').count()) === 2);
  const { body } = await session.as('ben')('GET', '/dead-letters');
  expect(body.items).toHaveLength(1);
});

it('shows a user own failures only, fits a phone, and says that there are none', async () => {
  const page = await session.open('/dead-letters', { user: 'eve', context: { viewport: PHONE } });
  await page.getByText('No dead letters').waitFor();
  expect(await page.getByLabel('Owner').count()).toBe(0);
  await expectNoOverflow(page);
  await expectAccessible(page);
});
