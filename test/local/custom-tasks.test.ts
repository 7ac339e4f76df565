// The example in tasks/ as a user runs it: listed by the API, checked at create time, and going on where it stopped after
// its worker was killed with -9.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  client,
  type Folder,
  type LocalProcess,
  startLocal,
  startPart,
  temporaryFolder,
} from './processes.ts';

// short leases, so that a killed worker's job is taken over soon
const FAST = {
  PUNCTUAL_LEASE_MS: '3000',
  PUNCTUAL_HEARTBEAT_MS: '1000',
  PUNCTUAL_CLOCK_SKEW_MS: '200',
  PUNCTUAL_LOG: 'info',
};

let folder: Folder;
let env: Record<string, string>;
let me: ReturnType<typeof client>;
const parts: LocalProcess[] = [];
const start = async (part: Parameters<typeof startPart>[0], ready: RegExp) => {
  const process = startPart(part, env);
  parts.push(process);
  return { process, found: await process.printed(ready) };
};

beforeAll(async () => {
  folder = temporaryFolder();
  env = { ...FAST, PUNCTUAL_DATA: folder.path };
  await start('engines.main', /DynamoDB API at/);
  const { found } = await start('api.main', /listens on (http:\S+)/);
  me = client(found[1] ?? '', folder.path, 'me');
});
afterAll(async () => {
  for (const part of parts.reverse()) await part.stop('SIGKILL');
  folder.remove();
});

describe('a custom task', () => {
  it('is described by GET /tasks, and its params are checked when a job is created', async () => {
    const { body } = await me('GET', '/tasks');
    expect(body.items.find(({ name }: { name: string }) => name === 'count-slowly')).toMatchObject({
      description: 'Counts, and after an interruption goes on where it stopped.',
      params: { properties: { to: { maximum: 10_000 } } },
    });
    const wrong = await me('POST', '/jobs', { task: 'count-slowly', params: { to: 0 } });
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, 'params.to']);
  });

  it('killed with -9 in the middle goes on where it stopped, in another worker', async () => {
    const first = await start('worker.main', /waits for jobs/);
    const { body: job } = await me('POST', '/jobs', {
      task: 'count-slowly',
      params: { to: 12, stepMs: 200 },
    });
    await first.process.printed(/counting from 0 to 12/);
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // some steps, not all
    await first.process.stop('SIGKILL');

    const second = await start('worker.main', /waits for jobs/);
    const [, from = ''] = await second.process.printed(/counting from (\d+) to 12/);
    expect(Number(from)).toBeGreaterThanOrEqual(2);
    expect(Number(from)).toBeLessThan(12);
    const executions = async () => (await me('GET', `/jobs/${job.id}/executions`)).body.items;
    await expect.poll(async () => (await executions())[0]?.status, { timeout: 20_000 }).toBe('succeeded');
    expect(await executions()).toMatchObject([{ result: { to: 12, resumedFrom: Number(from), attempt: 2 } }]);
  });

  it('with a mistake in it stops the start with a sentence that names the file', async () => {
    const worker = startPart('worker.main', { ...env, PUNCTUAL_TASKS_FOLDER: 'test/local/broken-tasks' });
    await expect(worker.exited).resolves.toBe(1);
    expect(worker.output()).toMatch(/^punctual: test\/local\/broken-tasks\/no-task\.ts: exports no task; /m);
  });

  it('that has no room comes again, and that is no attempt', async () => {
    const other = temporaryFolder();
    const local = await startLocal(other.path, { PUNCTUAL_TASKS_FOLDER: 'test/local/patient-tasks' });
    parts.push(local);
    const you = local.as('you');
    const { body: job } = await you('POST', '/jobs', { task: 'not-at-first', retry: { maxAttempts: 1 } });
    const executions = async () => (await you('GET', `/jobs/${job.id}/executions`)).body.items;
    await expect.poll(async () => (await executions())[0]?.status, { timeout: 10_000 }).toBe('succeeded');
    expect(await executions()).toMatchObject([{ attempt: 1, result: { asked: 3, attempt: 1 } }]);
    await local.stop();
    other.remove();
  });
});
