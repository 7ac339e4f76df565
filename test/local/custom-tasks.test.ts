// The example in tasks/ as a user runs it: listed by the API, checked at create time, and going on where it stopped after
// the server was killed with -9.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Folder,
  type LocalProcess,
  startLocal,
  startPart,
  temporaryFolder,
} from '../support/processes.ts';

let folder: Folder;
let env: Record<string, string>;
const parts: LocalProcess[] = [];
const start = async () => {
  const local = await startLocal(folder.path, env);
  parts.push(local);
  return local;
};
let local: Awaited<ReturnType<typeof startLocal>>;

beforeAll(async () => {
  folder = temporaryFolder();
  env = { PUNCTUAL_LOG: 'info' };
  local = await start();
});
afterAll(async () => {
  for (const part of parts.reverse()) await part.stop('SIGKILL');
  folder.remove();
});
const me = (...args: Parameters<ReturnType<typeof local.as>>) => local.as('me')(...args);

describe('a custom task', () => {
  it('is described by GET /tasks, and its params are checked when a job is created', async () => {
    const { body } = await me('GET', '/tasks');
    expect(body.items.find(({ name }: { name: string }) => name === 'count-slowly')).toMatchObject({
      description: 'Counts in steps. After an interruption it continues where it stopped.',
      params: { properties: { to: { maximum: 10_000 } } },
    });
    const wrong = await me('POST', '/jobs', { task: 'count-slowly', params: { to: 0 } });
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, 'params.to']);
  });

  it('killed with -9 in the middle goes on where it stopped, after a restart', async () => {
    const { body: job } = await me('POST', '/jobs', {
      task: 'count-slowly',
      params: { to: 12, stepMs: 200 },
    });
    await local.printed(/start counting.*"from":0,"to":12/);
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // some steps, not all
    await local.stop('SIGKILL');

    local = await start();
    const [, from = ''] = await local.printed(/start counting.*"from":(\d+),"to":12/);
    expect(Number(from)).toBeGreaterThanOrEqual(2);
    expect(Number(from)).toBeLessThan(12);
    const executions = async () => (await me('GET', `/jobs/${job.id}/executions`)).body.items;
    await expect.poll(async () => (await executions())[0]?.status, { timeout: 20_000 }).toBe('succeeded');
    expect(await executions()).toMatchObject([{ result: { to: 12, resumedFrom: Number(from), attempt: 2 } }]);
  });

  it('with a mistake in it stops the start with a sentence that names the file', async () => {
    const other = temporaryFolder();
    const broken = { PUNCTUAL_DATA: other.path, PUNCTUAL_TASKS_FOLDER: 'test/local/broken-tasks' };
    const refused = startPart('main', broken);
    await expect(refused.exited).resolves.toBe(1);
    other.remove();
    expect(refused.output()).toMatch(
      /^punctual: test\/local\/broken-tasks\/no-task\.ts: the file exports no task; /m,
    );
  });

  it('that has no room comes again, and that is no attempt', async () => {
    const other = temporaryFolder();
    const patient = await startLocal(other.path, { PUNCTUAL_TASKS_FOLDER: 'test/local/patient-tasks' });
    parts.push(patient);
    const you = patient.as('you');
    const { body: job } = await you('POST', '/jobs', { task: 'not-at-first', retry: { maxAttempts: 1 } });
    const executions = async () => (await you('GET', `/jobs/${job.id}/executions`)).body.items;
    await expect.poll(async () => (await executions())[0]?.status, { timeout: 10_000 }).toBe('succeeded');
    expect(await executions()).toMatchObject([{ attempt: 1, result: { asked: 3, attempt: 1 } }]);
    await patient.stop();
    other.remove();
  });
});
