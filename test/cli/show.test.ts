// What `punctual show` prints of an execution: attempts, progress, and when it goes on.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Execution } from '../../src/client/client.ts';
import { cli } from './in-process.ts';

const jobId = 'job_4fGh7Kx0QpLmN2sT9vWz';
const dueAt = '2026-12-01T10:00:00.000Z';
const base: Execution = {
  ...{ id: `${jobId}.1796119200000`, jobId, status: 'running', trigger: 'schedule' },
  ...{ dueAt, fireAt: dueAt, attempt: 1, maxAttempts: 3, latenessMs: 4 },
  timeline: { dueAt, startedAt: '2026-12-01T10:00:00.004Z' },
};

let stop = () => {};
afterEach(() => stop());

/** The lines that `show` prints for this response of the API, by their first word or words. */
async function shown(execution: Execution): Promise<Record<string, string>> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(execution));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stop = () => void server.close();
  const { port } = server.address() as AddressInfo;
  const env = { PUNCTUAL_URL: `http://127.0.0.1:${port}`, PUNCTUAL_TOKEN: 't' };
  const now = Date.parse('2026-12-01T10:01:00Z');
  const { out, code } = await cli(['show', execution.id], { env, now, width: Number.POSITIVE_INFINITY });
  expect(code).toBe(0);
  return Object.fromEntries(out.split('\n').map((line) => line.split(/ {2,}/) as [string, string]));
}

it('prints the progress of a running execution, and that it is stopping', async () => {
  const progress = { fraction: 0.425, text: 'page 17\u001b[2J of 40', at: '2026-12-01T10:00:55.000Z' };
  expect(await shown({ ...base, progress, stopping: true })).toMatchObject({
    status: 'running, stopping',
    progress: '42.5 %, page 17·[2J of 40, 5 s ago (2026-12-01T10:00:55.000Z)',
  });
  expect(await shown({ ...base, progress: { fraction: 1, at: progress.at } })).toMatchObject({
    progress: '100 %, 5 s ago (2026-12-01T10:00:55.000Z)',
  });
  expect(await shown(base)).not.toHaveProperty('progress');
});

it('prints that a failure was dismissed, and the params of its own', async () => {
  const execution = { ...base, status: 'failed', dismissed: true, params: { rows: 3 } } as const;
  expect(await shown(execution)).toMatchObject({ status: 'failed, dismissed', params: '{"rows":3}' });
  expect(await shown(base)).not.toHaveProperty('params');
});

it('prints each attempt, the time of the next one, and the lateness of the first start', async () => {
  const attempt = {
    workerId: 'w1',
    startedAt: '2026-12-01T10:00:00.004Z',
    finishedAt: '2026-12-01T10:00:01.004Z',
    error: { name: 'HttpError', message: 'status 503' },
  };
  const second = {
    ...attempt,
    startedAt: '2026-12-01T10:00:03.000Z',
    finishedAt: '2026-12-01T10:00:03.250Z',
  };
  const lines = await shown({
    ...base,
    ...{ status: 'retrying', attempt: 2, nextAttemptAt: '2026-12-01T10:01:20.000Z' },
    attempts: [
      { ...attempt, attempt: 1 },
      { ...second, attempt: 2, workerId: 'w2' },
    ],
  });
  expect(lines).toMatchObject({
    attempt: '2 of 3',
    'attempt 1': '2026-12-01T10:00:00.004Z on w1, took 1 s, HttpError: status 503',
    'attempt 2': '2026-12-01T10:00:03.000Z on w2, took 250 ms, HttpError: status 503',
    'next attempt': 'in 20 s (2026-12-01T10:01:20.000Z)',
    late: '4 ms',
  });
});
