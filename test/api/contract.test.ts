// Calls every operation with valid and invalid inputs, which are generated from the documented schemas. Every response is
// documented, and none is a 5xx. About 5,500 requests.
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from '../../src/api/contract/contract.ts';
import { type Operation, statusesOf } from '../../src/api/contract/endpoint.ts';
import { openApiDocument } from '../../src/api/openapi/openapi.ts';
import type { Answer } from '../support/api-events.ts';
import { testApi } from './api.ts';
import { fromSchema, type Schema, spoiled } from './from-schema.ts';
import { prepare, urlOf } from './samples.ts';

const REQUESTS = 230;

interface Documented {
  readonly parameters?: { name: string; in: string; schema: Schema; required: boolean }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Record<
    string,
    { $ref?: string; headers?: Schema; content?: Record<string, { schema: Schema }> }
  >;
}

const document = openApiDocument() as unknown as {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Documented['responses'][string]> };
};
const { schemas, responses: shared } = document.components;
const resolve = (ref: string): Schema => {
  const found = schemas[ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`${ref} leads nowhere`);
  return found;
};

/** The schema in the OpenAPI document, not the zod schema that it was generated from. */
const checkers = new Map<string, z.ZodType>();
function checker(schema: Schema): z.ZodType {
  const text = JSON.stringify(schema);
  const found = checkers.get(text);
  if (found) return found;
  const whole = JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/');
  const made = z.fromJSONSchema(JSON.parse(whole));
  checkers.set(text, made);
  return made;
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

let requests = 0;
const statuses = new Map<string, Set<number>>();
afterAll(() => {
  expect(requests).toBeGreaterThan(5000);
});

it.each(operations)('$method $path', { timeout: 60_000 }, async (operation) => {
  const api = testApi();
  const alices = await prepare(api);
  const documented = document.paths[operation.path]?.[operation.method.toLowerCase()];
  if (!documented) throw new Error('it is not documented');

  const known = {
    ids: [[alices.executionId], [alices.executionId, alices.jobId]],
    jobId: [alices.jobId],
    // The limit applies to the requests of this test, too, and its clock stands still.
    requestsPerSecond: [null, 0, 100_000],
    // Hardly any generated combination of these fields is valid.
    ...(operation.id === 'putNamedJob' && {
      ...{ name: ['nightly'], task: ['noop'], params: [{}, { durationMs: 1 }] },
      schedule: [{ cron: '0 * * * *' }, { every: 'PT1H' }],
    }),
    ...(operation.id === 'changeJobs' && {
      filter: [{ tag: 'team:a' }, { name: 'report', task: 'noop' }, { namespace: 'billing' }],
      ...{ all: [undefined, true], until: [undefined, '2026-11-17T00:00:00Z'] },
    }),
  };
  const request = requestOf(operation, documented, known);
  const seen = new Set<number>();
  statuses.set(operation.id, seen);
  await fc.assert(
    fc.asyncProperty(request, async ({ query, headers, body, user, groups, strangeId }) => {
      // A job that has ended cannot be cancelled, so each request needs a new one.
      const fresh =
        operation.id === 'cancelExecution' && (await api.call('POST', `/jobs/${alices.jobId}/run`));
      const things = fresh ? { ...alices, executionId: fresh.body.id } : alices;
      const url =
        strangeId === undefined ? urlOf(operation, things) : operation.path.replace(/\{\w+\}/, strangeId);
      const asked = new URLSearchParams(
        Object.entries(query).map(([key, value]): [string, string] => [key, asText(value)]),
      ).toString();
      const answer = await api.call(operation.method, `${url}?${asked}`, { headers, body, user, groups });
      requests++;
      seen.add(answer.status);
      checkAnswer(operation, documented, answer);
    }),
    { numRuns: REQUESTS },
  );
  // Both valid and invalid inputs were sent, if the operation has input that can be invalid.
  expect(
    [...seen].some((status) => status < 300),
    [...seen].join(),
  ).toBe(true);
  if (documented.requestBody || operation.query) expect([...seen]).toContain(400);
});

function requestOf(
  operation: Operation,
  { parameters = [], requestBody }: Documented,
  known: Record<string, readonly unknown[]>,
) {
  const part = (where: string): Arbitrary<Record<string, unknown>> => {
    const own = parameters.filter((parameter) => parameter.in === where);
    const right = fc.record(
      Object.fromEntries(
        own.map(({ name, schema }) => [
          name,
          name === 'cursor' ? fc.string() : fromSchema(schema, resolve, name),
        ]),
      ),
      { requiredKeys: [] },
    );
    const wrong = spoiled(right).map((value) => (value !== null && typeof value === 'object' ? value : {}));
    // A string with only a maximum length is rarely made invalid. An undocumented name is always invalid.
    const unknown = right.map((value) => ({ ...value, undocumented: '1' }));
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      { weight: 2, arbitrary: right },
      { weight: 1, arbitrary: unknown },
      { weight: 1, arbitrary: wrong as Arbitrary<Record<string, unknown>> },
    );
  };
  const schema = requestBody?.content['application/json']?.schema;
  const rightBody = schema ? fromSchema(schema, resolve, '', known) : fc.constant(undefined);
  return fc.record({
    query: operation.query ? part('query') : fc.constant({}),
    headers: part('header').map((headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, asText(value)])),
    ),
    body: schema
      ? fc.oneof({ weight: 2, arbitrary: rightBody }, { weight: 1, arbitrary: spoiled(rightBody) })
      : fc.constant(undefined),
    user: fc.constantFrom('alice', 'alice', 'alice', 'bob', null),
    groups: fc.constantFrom(undefined, undefined, ['punctual-operators']),
    strangeId: operation.params
      ? fc.oneof(
          { weight: 4, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: fc.webSegment().filter((segment) => !/^(batch)?$/.test(segment)) },
        )
      : fc.constant(undefined),
  });
}

function checkAnswer(
  operation: Operation,
  { responses }: Documented,
  { status, headers, body }: Answer,
): void {
  const what = `${operation.method} ${operation.path}: ${status} ${JSON.stringify(body)?.slice(0, 500)}`;
  expect(status, what).toBeLessThan(500);
  expect(statusesOf(operation), what).toContain(status);
  expect(headers['x-request-id'], what).toBeTruthy();

  const response = responses[status];
  const promised = response?.$ref ? shared[response.$ref.split('/').at(-1) ?? ''] : response;
  const [[type, content] = []] = Object.entries(promised?.content ?? {});
  if (!content) {
    expect(body, what).toBeUndefined();
    return;
  }
  if (type !== '*/*') expect(headers['content-type']?.split(';')[0], what).toBe(type);
  const parsed = checker(content.schema).safeParse(body);
  expect(parsed.error, what).toBeUndefined();
  if (status >= 400) expect(body.status).toBe(status);
  else for (const name of Object.keys(promised?.headers ?? {})) expect(headers[name], name).toBeTruthy();
}
