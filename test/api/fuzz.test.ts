// Random requests: every response is one of the contract, never a 5xx, and every refusal is a problem.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { problemShape } from '../../src/api/contract/response-schemas.ts';
import { testApi } from './api.ts';

const loneSurrogate = fc
  .tuple(fc.string(), fc.constantFrom('\ud800', '\udbff', '\udc00', '\udfff'), fc.string())
  .map((parts) => parts.join(''));

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  loneSurrogate,
  loneSurrogate.map((text) => ({ [text]: text })),
  nested(200),
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
/** Nested lists with about this many levels. */
function nested(levels: number): fc.Arbitrary<unknown> {
  return fc.integer({ min: levels - 150, max: levels }).map((depth) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  });
}

/** Any four-digit year with any offset, including years before 100, before 1970 and after 2199. */
const time = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 0, max: 9999 }),
      fc.constantFrom(0, 1, 50, 99, 100, 1969, 1970, 2199, 2200, 9999),
    ),
    fc.constantFrom('01-01T00:00:00', '03-29T02:30:00', '12-31T23:59:59.999'),
    fc.constantFrom('Z', '+14:00', '-12:00'),
  )
  .map(([year, rest, offset]) => `${String(year).padStart(4, '0')}-${rest}${offset}`);

const maybe = (values: unknown[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: odd });

const scheduleBody = fc.record(
  {
    at: fc.oneof(time, maybe(['2027-01-01T00:00:00Z', '2027-02-30T00:00'])),
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
    startAt: fc.oneof(time, maybe(['2027-01-01T00:00:00Z'])),
    endAt: fc.oneof(time, maybe(['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z'])),
    except: maybe([
      ['2026-12-25'],
      [{ cron: '* * * * *' }],
      [{ from: '2026-12-24', to: '2027-01-01' }, { cron: '*/2 * * * * *' }],
      [{ from: '2026-12-24T00:00', to: '2026-12-01' }],
    ]),
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

it('POST /jobs and PATCH /jobs/{id}', { timeout: 60_000 }, async () => {
  const { call, create } = testApi();
  const { id } = await create({ schedule: { every: 'PT1H' } });
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, odd), async (sent) => {
      await answersWell(await call('POST', '/jobs', { body: sent }));
      await answersWell(await call('PATCH', `/jobs/${id}`, { body: sent }));
    }),
    { numRuns: 2000 },
  );
});

it('POST /jobs/batch: what is wrong with one job is told of that job alone', {
  timeout: 60_000,
}, async () => {
  const { call } = testApi();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(body, odd), { minLength: 1, maxLength: 3 }), async (jobs) => {
      const answer = await call('POST', '/jobs/batch', { body: { jobs: [...jobs, { task: 'noop' }] } });
      expect(answer.status).toBe(207);
      for (const { status } of answer.body.results) expect(status).toBeLessThan(500);
      expect(answer.body.results.at(-1).status).toBe(201);
    }),
    { numRuns: 500 },
  );
  await fc.assert(
    fc.asyncProperty(odd, async (jobs) => {
      await answersWell(await call('POST', '/jobs/batch', { body: { jobs } }));
      await answersWell(
        await call('POST', '/jobs/batch', { body: { jobs: [{ task: 'noop' }], more: jobs } }),
      );
    }),
    { numRuns: 500 },
  );
});

it('POST /schedules/preview and backfill, at any time', { timeout: 60_000 }, async () => {
  const { call, create } = testApi();
  const { id } = await create({ schedule: { cron: '0 9 1 * *', timezone: 'Europe/Paris' } });
  const right = fc.constantFrom(
    { cron: '0 9 * * *', timezone: 'America/New_York' },
    { cron: '0 9 * * *', timezone: 'Pacific/Apia' },
    { calendar: { hour: 5 }, timezone: 'Europe/Paris' },
    { every: 'PT1H' },
    { at: '2030-01-01T00:00:00Z' },
  );
  const preview = fc.record(
    { schedule: fc.oneof(right, scheduleBody), after: time, count: fc.integer({ min: 1, max: 3 }) },
    { requiredKeys: ['schedule'] },
  );
  await fc.assert(
    fc.asyncProperty(preview, fc.record({ from: time, to: time }), async (sent, range) => {
      await answersWell(await call('POST', '/schedules/preview', { body: sent }));
      await answersWell(await call('POST', `/jobs/${id}/backfill`, { body: range }));
    }),
    { numRuns: 1000 },
  );
});

it('nests thousands of levels anywhere in a body', async () => {
  const { call, create, stored } = testApi();
  const { id } = await create({ schedule: { every: 'PT1H' } });
  const before = stored();
  for (const levels of [101, 5_000, 60_000]) {
    const deep = [
      `${'['.repeat(levels)}${']'.repeat(levels)}`,
      `${'{"a":'.repeat(levels / 2)}1${'}'.repeat(levels / 2)}`,
    ];
    for (const value of levels > 200 ? deep : deep.slice(0, 1)) {
      for (const [method, url, text] of [
        ['POST', '/jobs', value],
        ['POST', '/jobs', `{"task":"noop","params":{"result":${value}}}`],
        ['POST', '/jobs', `{"task":"http","params":{"url":"https://example.com/","body":${value}}}`],
        ['POST', '/jobs', `{"task":"noop","name":${value}}`],
        ['POST', '/jobs', `{"task":"noop","tags":{"a":${value}}}`],
        ['POST', '/jobs', `{"task":"noop","notify":${value}}`],
        ['PATCH', `/jobs/${id}`, `{"params":{"result":${value}}}`],
        ['POST', `/jobs/${id}/run`, `{"params":{"result":${value}}}`],
        ['POST', `/jobs/${id}/pause`, `{"until":${value}}`],
        ['POST', `/jobs/${id}/backfill`, `{"from":${value}}`],
        ['POST', '/jobs/batch', `{"jobs":{"a":${value}}}`],
        ['POST', '/jobs/batch', `{"jobs":[{"task":"noop"}],"more":${value}}`],
        ['POST', '/schedules/preview', `{"schedule":${value}}`],
        ['POST', '/dead-letters/redrive', `{"ids":${value}}`],
      ] as const) {
        const answer = await call(method, url, { body: text });
        expect(answer.status, text.slice(0, 60)).toBe(400);
        problemShape.parse(answer.body);
      }
      const { body } = await call('POST', '/jobs/batch', {
        body: `{"jobs":[{"task":"noop","params":${value}}]}`,
      });
      expect(body.results[0].status).toBe(400);
    }
  }
  expect(stored()).toBe(before);
});

it('has half of a surrogate pair in a text, a key, the query or the user', async () => {
  const { call, stored } = testApi();
  const half = '\ud83d';
  for (const [job, path] of [
    [{ task: 'noop', name: `a${half}` }, 'name'],
    [{ task: 'noop', tags: { team: half } }, 'tags.team'],
    [{ task: 'noop', tags: { [half]: 'a' } }, 'tags'],
    [{ task: 'noop', params: { result: [{ deep: half }] } }, 'params.result[0].deep'],
  ] as const) {
    const answer = await call('POST', '/jobs', { body: job });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({
      path,
      message: expect.stringContaining('well-formed Unicode'),
    });
  }
  for (const query of [`name=${half}`, 'name=%ED%A0%BD', 'tag=team:%ff'])
    expect((await call('GET', `/jobs?${query}`)).status).toBe(400);
  expect((await call('GET', '/jobs', { user: `alice${half}` })).status).toBe(401);
  expect((await call('POST', '/jobs', { body: { task: 'noop', name: '\ud83d\ude00' } })).status).toBe(201);
  expect(stored()).toBeGreaterThan(0);
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
