// Jobs of a local server may call loopback, but not the API of that server: with a token of another user in a header a job
// would act for that user from inside.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Folder, startLocal, startTarget, temporaryFolder } from '../support/processes.ts';

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
let target: Awaited<ReturnType<typeof startTarget>>;
beforeAll(async () => {
  folder = temporaryFolder();
  local = await startLocal(folder.path);
  target = await startTarget();
});
afterAll(async () => {
  await local.stop();
  target.stop();
  folder.remove();
});

async function endOf(job: object) {
  const me = local.as('me');
  const { body } = await me('POST', '/jobs', job);
  let end: { status: string; error?: { message: string } } | undefined;
  await expect
    .poll(
      async () => {
        end = (await me('GET', `/jobs/${body.id}/executions`)).body.items[0];
        return end?.status;
      },
      { timeout: 20_000, interval: 100 },
    )
    .toMatch(/succeeded|failed/);
  return end;
}

const call = (url: string) => ({ task: 'http', params: { url }, retry: { maxAttempts: 1 } });

it('no job reaches the API; another server on loopback it does', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const end = await endOf(call(`${local.url.replace('127.0.0.1', host)}/health`));
    expect(end?.status).toBe('failed');
    expect(end?.error?.message).toMatch(
      /is where the scheduler itself listens, and calling it is not allowed here/,
    );
  }
  expect(await endOf(call(`${target.url}/hook`))).toMatchObject({ status: 'succeeded' });
});

it('nor does a webhook', async () => {
  const notify = [{ on: ['failed'], webhook: { url: `${local.url}/` } }];
  const end = await endOf({ task: 'noop', params: { fail: true }, retry: { maxAttempts: 1 }, notify });
  expect(end?.status).toBe('failed');
  await local.printed(/notification cannot be delivered.*is where the scheduler itself listens/);
});
