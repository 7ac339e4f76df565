// Whatever is sent, the answer is one of the contract's: never a 5xx, every refusal a problem.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { problemShape } from '../../src/api/shapes.ts';
import { testApi } from './api.ts';

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    '',
    '\u0000',
    '__proto__',
    'P99999999Y',
    '9'.repeat(400),
    '2026-13-45T99:99:99Z',
    'PT0S',
    '-PT1S',
    -1,
    1e308,
  ),
);
const maybe = (values: unknown[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: odd });

const scheduleBody = fc.record(
  {
    at: maybe(['2027-01-01T00:00:00Z', '2027-02-30T00:00', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59Z']),
    in: maybe(['PT1S', 'P1Y', 'PT1000000000H']),
    cron: maybe([
      '* * * * *',
      '0 0 31 2 *',
      '@daily',
      'rate(5 minutes)',
      '0 0 L * ?',
      '*/0 * * * *',
      '0 0 1 1 ? 1999',
    ]),
    every: maybe(['PT1S', 'P1M', 'PT0.001S']),
    calendar: maybe([{ hour: 5 }, { hour: [1, 2] }, { date: 31, month: 2 }]),
    timezone: maybe(['UTC', 'Europe/Paris', 'Mars/Olympus']),
    startAt: maybe(['2027-01-01T00:00:00Z']),
    endAt: maybe(['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z']),
    jitterSeconds: maybe([0, 3600, 3601]),
    dst: maybe([{ gap: 'skip' }, { overlap: 'twice' }]),
  },
  { requiredKeys: [] },
);
const body = fc.record(
  {
    task: maybe(['noop', 'http']),
    name: maybe(['report']),
    params: maybe([{}, { url: 'http://127.0.0.1/' }, { durationMs: 1 }]),
    schedule: fc.oneof(scheduleBody, odd),
    retry: maybe([{ maxAttempts: 2 }]),
    timeoutSeconds: maybe([1, 43_200]),
    overlap: maybe(['skip', 'queue', 'allow']),
    misfire: maybe([{ policy: 'skip' }]),
    notify: maybe([[], [{ on: ['failed'], email: { to: 'a@example.com' } }]]),
    tags: maybe([{ a: 'b' }]),
  },
  { requiredKeys: [] },
);

async function answersWell(answer: { status: number; body: unknown }): Promise<void> {
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
  if (answer.status >= 400) problemShape.parse(answer.body);
}

it('POST /jobs', { timeout: 60_000 }, async () => {
  const { call } = testApi();
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, odd), async (sent) =>
      answersWell(await call('POST', '/jobs', { body: sent })),
    ),
    { numRuns: 2000 },
  );
});

it('lists with any query, and any path', { timeout: 60_000 }, async () => {
  const { call, create } = testApi();
  const { id } = await create({ schedule: { every: 'PT1S' } });
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('1', '100', 'scheduled', 'active', '2026-01-01T00:00:00Z', '1796119200000', '*'),
  );
  const name = fc.oneof(
    fc.constantFrom('status', 'limit', 'cursor', 'from', 'to', 'tag', 'name', 'task'),
    fc.string(),
  );
  const query = fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) => new URLSearchParams(pairs).toString());
  const path = fc.oneof(
    fc.constantFrom(
      '/jobs',
      `/jobs/${id}`,
      `/jobs/${id}/executions`,
      `/executions/${id}.1796119200000`,
      '/executions/x',
    ),
    fc.webPath(),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'HEAD'),
      path,
      query,
      async (method, at, asked) => {
        const answer = await call(method, `${at || '/'}?${asked}`);
        await answersWell(answer);
      },
    ),
    { numRuns: 2000 },
  );
});
