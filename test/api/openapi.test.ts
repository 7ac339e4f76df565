import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/contract.ts';
import { statusesOf } from '../../src/api/contract/endpoint.ts';
import { testApi } from './api.ts';

type Json = Record<string, unknown>;

async function document(): Promise<Json & { paths: Record<string, Record<string, Json>>; components: Json }> {
  const { call } = testApi();
  const { status, headers, body } = await call('GET', '/openapi.json', { user: null });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  return body;
}

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(await document()));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('has the version of package.json', async () => {
    const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect((await document()).info).toMatchObject({ version: packageJson.version });
  });

  it('has every operation, with every status that it may answer and its headers', async () => {
    const { paths } = await document();
    for (const operation of operations) {
      const found = paths[operation.path]?.[operation.method.toLowerCase()];
      expect(found, `${operation.method} ${operation.path}`).toMatchObject({
        operationId: operation.id,
        security: operation.auth ? [{ token: [] }] : [],
      });
      const responses = found?.responses as Json;
      expect(Object.keys(responses).map(Number)).toEqual(statusesOf(operation));
      const success = responses[operation.success.status] as { headers: Json };
      expect(Object.keys(success.headers)).toEqual([
        ...Object.keys(operation.success.headers ?? {}),
        'x-request-id',
      ]);
    }
  });

  it('names jobs, executions and problems once, with examples that fit, and every reference leads somewhere', async () => {
    const whole = await document();
    const { schemas } = whole.components as { schemas: Record<string, { examples?: unknown[] }> };
    expect(Object.keys(schemas).sort()).toEqual(
      expect.arrayContaining(['Execution', 'Job', 'JobEdit', 'NewJob', 'Problem', 'Task', 'Worker']),
    );
    for (const name of ['Execution', 'Job', 'NewJob', 'JobEdit', 'Problem']) {
      expect(schemas[name]?.examples?.length, name).toBeGreaterThan(0);
    }
    for (const [, pointer = ''] of JSON.stringify(whole).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = pointer.split('/').reduce<unknown>((at, part) => (at as Json)?.[part], whole);
      expect(target, pointer).toBeDefined();
    }
    const { call } = testApi();
    for (const example of schemas.NewJob?.examples ?? []) {
      expect((await call('POST', '/jobs', { body: example })).status).toBe(201);
    }
  });
});

it('a schedule is a oneOf of whole objects, which generators of clients can type', async () => {
  const whole = await document();
  const { schemas } = whole.components as { schemas: Record<string, Json> };
  const forms = (schemas.Schedule?.oneOf ?? []) as { $ref: string }[];
  const kinds = forms.map(({ $ref }) => schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  expect(kinds.map(({ required }) => required)).toEqual([['at'], ['in'], ['cron'], ['every'], ['calendar']]);
  for (const kind of kinds) expect(kind).toMatchObject({ type: 'object', additionalProperties: false });
  expect(Object.keys(kinds[2]?.properties as Json)).toEqual(
    expect.arrayContaining(['cron', 'timezone', 'startAt', 'endAt', 'except', 'jitterSeconds', 'dst']),
  );
  for (const [name, shown] of [
    ['NewJob', 'Schedule'],
    ['JobEdit', 'Schedule'],
    ['Job', 'ShownSchedule'],
  ] as const) {
    const properties = schemas[name]?.properties as { schedule?: Json } | undefined;
    expect(properties?.schedule?.$ref, name).toBe(`#/components/schemas/${shown}`);
  }
});

describe('/docs', () => {
  it('is a page that needs nothing from anywhere else, and says so to the browser', async () => {
    const { call } = testApi();
    const page = await call('GET', '/docs', { user: null });
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.body).not.toMatch(/https?:\/\//);
    expect(page.body).not.toMatch(/<script(?![^>]*\bsrc=)/);
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*/);

    const files = [...String(page.body).matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(
      ([, file]) => `/${file}`,
    );
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { status, headers, body } = await call('GET', file, { user: null });
      expect(status).toBe(200);
      expect(headers['content-type']).toMatch(file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      expect(body.length).toBeGreaterThan(50);
    }
  });

  it.each([
    'package.json',
    'swagger-ui.css',
    'swagger-ui.css.map',
    '..%2fpackage.json',
    'constructor.js',
    'index.html',
  ])('gives out nothing else: %s', async (file) => {
    const { call } = testApi();
    expect((await call('GET', `/docs/${file}`, { user: null })).status).toBe(404);
  });
});

describe('GET /tasks', () => {
  it('shows each task with the JSON Schema of its params', async () => {
    const { call } = testApi();
    const { items } = (await call('GET', '/tasks')).body;
    const noop = items.find((task: { name: string }) => task.name === 'noop');
    expect(noop).toMatchObject({
      params: { type: 'object', properties: { durationMs: { type: 'integer' } } },
    });
    expect(items.map((task: { name: string }) => task.name)).toContain('http');
  });
});

describe('POST /schedules/preview', () => {
  it('shows the next times, a sentence and warnings', async () => {
    const { call } = testApi();
    const body = { schedule: { cron: '30 2 * * *', timezone: 'Europe/Paris' }, count: 3 };
    const answer = await call('POST', '/schedules/preview', { body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      fireTimes: ['2026-11-17T01:30:00.000Z', '2026-11-18T01:30:00.000Z', '2026-11-19T01:30:00.000Z'],
      description: 'At 02:30 every day, Europe/Paris time',
      warnings: [{ kind: 'dstGap' }, { kind: 'dstOverlap' }],
    });
  });

  it('from another time on, up to 1000', async () => {
    const { call } = testApi();
    const body = {
      schedule: { every: 'PT1H', startAt: '2026-01-01T00:00:00Z' },
      after: '2027-01-01T00:00:00Z',
    };
    const { fireTimes } = (await call('POST', '/schedules/preview', { body })).body;
    expect(fireTimes).toHaveLength(10);
    expect(fireTimes[0]).toBe('2027-01-01T01:00:00.000Z');
    const many = await call('POST', '/schedules/preview', { body: { ...body, count: 1000 } });
    expect(many.body.fireTimes).toHaveLength(1000);
    expect((await call('POST', '/schedules/preview', { body: { ...body, count: 1001 } })).status).toBe(400);
  });

  it.each([{ at: '2020-01-01T00:00:00Z' }, { cron: '0 0 1 1 *', endAt: '2026-12-01T00:00:00Z' }])(
    'one that never fires has no times and a warning: %j',
    async (schedule) => {
      const { call } = testApi();
      const { status, body } = await call('POST', '/schedules/preview', { body: { schedule } });
      expect(status).toBe(200);
      expect(body).toMatchObject({ fireTimes: [], warnings: [{ kind: 'neverFires' }] });
    },
  );

  it('one that is not well formed is refused where it is wrong', async () => {
    const { call } = testApi();
    const body = { schedule: { cron: '61 * * * *' } };
    expect(await call('POST', '/schedules/preview', { body })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'schedule.cron' }] },
    });
  });
});
