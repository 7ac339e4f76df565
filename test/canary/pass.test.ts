// One pass of the canary on a fake network: which job it creates, which one it checks, and what it reports.
import { describe, expect, it } from 'vitest';
import { runPass } from '../../src/canary/pass.ts';
import { clientOn, json, problem, type Sent } from '../client/fakes.ts';

const NOW = Date.UTC(2026, 10, 18, 12, 5, 17);
const CREATED_FOR = '2026-11-18T12:06:30.000Z';
const CHECKED = '2026-11-18T12:04:30.000Z';

const execution = (more: object = {}) => ({
  id: 'e',
  dueAt: CHECKED,
  status: 'succeeded',
  latenessMs: 12,
  ...more,
});

interface Replies {
  readonly create?: Response;
  readonly executions?: readonly object[] | Response;
}

async function pass({ create = json(201, { id: 'j' }), executions = [execution()] }: Replies, now = NOW) {
  const metrics: Record<string, number> = {};
  const errors: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (message: string) => void errors.push(message) };
  const list = executions instanceof Response ? executions : json(200, { items: executions });
  const reply = ({ method }: Sent) => (method === 'POST' ? create : list).clone();
  const { client, sent } = clientOn([reply], { retry: { maxAttempts: 1 } });
  const add = (name: string, value: number) => {
    metrics[name] = value;
  };
  const result = await runPass({ client, metrics: { add }, log }, now);
  return { result, metrics, errors, sent };
}

describe('a pass of the canary', () => {
  it('creates the job of the next minute, and checks the one of the minute before', async () => {
    const { result, metrics, errors, sent } = await pass({});
    expect(result).toEqual({ succeeded: true, latenessMs: 12 });
    expect(metrics).toEqual({ CanarySucceeded: 1, CanaryLateness: 12 });
    expect(errors).toEqual([]);
    const post = sent.find(({ method }) => method === 'POST');
    expect([post?.path, post?.body]).toEqual([
      '/jobs',
      { name: 'canary', task: 'noop', schedule: { at: CREATED_FOR } },
    ]);
    const get = sent.find(({ method }) => method === 'GET');
    expect([get?.path, get?.query.get('from')]).toEqual(['/executions', CHECKED]);
  });

  it('repeats its request in the same minute, and makes another one in the next', async () => {
    const keyAt = async (now: number) =>
      (await pass({}, now)).sent.find(({ method }) => method === 'POST')?.headers.get('idempotency-key');
    const first = await keyAt(NOW);
    expect(await keyAt(Date.UTC(2026, 10, 18, 12, 5, 59, 999))).toBe(first);
    expect(await keyAt(Date.UTC(2026, 10, 18, 12, 6, 0, 0))).not.toBe(first);
  });

  it('checks in every minute the job that the pass two minutes before has created', async () => {
    const { sent: before } = await pass({}, NOW - 120_000);
    const created = before.find(({ method }) => method === 'POST')?.body as { schedule: { at: string } };
    expect(created.schedule.at).toBe(CHECKED);
  });

  it.each([
    ['has no execution', []],
    ['is of another minute', [execution({ dueAt: CREATED_FOR })]],
    ['still runs', [execution({ status: 'running' })]],
    ['has failed', [execution({ status: 'failed' })]],
    ['was skipped', [execution({ status: 'skipped', latenessMs: undefined })]],
  ])('reports an absence if the job %s', async (_, executions) => {
    const { metrics, errors } = await pass({ executions });
    expect(metrics).toEqual({ CanarySucceeded: 0 });
    expect(errors).toEqual(['job of the canary has not run']);
  });

  it('reports an absence if the API refuses to create a job, and the lateness of the one before', async () => {
    const { metrics, errors } = await pass({ create: problem(503) });
    expect(metrics).toEqual({ CanarySucceeded: 0, CanaryLateness: 12 });
    expect(errors).toEqual(['canary failed to create a job']);
  });

  it('reports an absence if the API does not list executions', async () => {
    const { metrics, errors } = await pass({ executions: problem(500) });
    expect(metrics).toEqual({ CanarySucceeded: 0 });
    expect(errors).toEqual(['canary failed to list its executions']);
  });

  it('reports the lateness of a job that ran late', async () => {
    const { metrics } = await pass({ executions: [execution({ latenessMs: 31_000 })] });
    expect(metrics).toEqual({ CanarySucceeded: 1, CanaryLateness: 31_000 });
  });
});
