import { describe, expect, expectTypeOf, it } from 'vitest';
import { contract, operations } from '../../src/api/contract/contract.ts';
import {
  createClient,
  type Execution,
  type Job,
  type JobInput,
  type JobSummary,
  type Page,
} from '../../src/client/client.ts';
import { json, network } from './fakes.ts';

const JOB = 'job_00000000000000000000';
const EXECUTION = `${JOB}.1796119200000`;

/** Calls every method of the client. */
async function callEverything(client: object, first: unknown = EXECUTION): Promise<void> {
  for (const [name, member] of Object.entries(client)) {
    if (typeof member !== 'function') {
      await callEverything(member, name === 'namedJobs' ? { namespace: 'a', name: 'b' } : EXECUTION);
      continue;
    }
    // The first argument is an id or a name, or a body or query whose content does not matter here.
    const called = member(member.length > 0 ? first : {}, {});
    await (typeof called.page === 'function' ? called.page() : called);
  }
}

describe('the client and the contract', () => {
  it('has a method for every operation that programs call', async () => {
    const { sent, fetch } = network(() => json(200, { items: [], results: [], status: 'succeeded' }));
    await callEverything(createClient({ baseUrl: 'http://punctual.test', token: 't', fetch }));

    const reached = operations.filter((operation) => {
      const path = new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`);
      return sent.some((request) => request.method === operation.method && path.test(request.path));
    });
    const forPrograms = operations.filter(({ success }) => success.contentType === undefined);
    expect(reached.map(({ id }) => id)).toEqual(forPrograms.map(({ id }) => id));
  });

  it('sends headers and bodies that the contract accepts', async () => {
    const { sent, fetch } = network(json(201, {}));
    const client = createClient({ baseUrl: 'http://punctual.test/', token: async () => 'abc', fetch });
    await client.jobs.create({ task: 'noop', schedule: { cron: '0 9 * * *' } });
    await client.jobs.createAsync({ task: 'noop' });
    await client.jobs.edit(JOB, { name: 'other' }, { ifMatch: 3 });
    await client.jobs.list({ tag: 'team:billing', limit: 5 }).page('next one');

    const [created, accepted, edited, listed] = sent;
    expect(contract.createJob.body.parse(created?.body)).toMatchObject({ task: 'noop' });
    const headersOf = (request = created) => Object.fromEntries(request?.headers ?? []);
    expect(contract.createJob.headers.parse(headersOf())).toEqual({
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(headersOf()).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/json' });
    expect(headersOf(accepted).prefer).toBe('respond-async');
    expect(headersOf(accepted)['idempotency-key']).not.toBe(headersOf()['idempotency-key']);
    expect(contract.editJob.headers.parse(headersOf(edited))).toEqual({ 'if-match': 3 });
    expect(contract.listJobs.query.parse(Object.fromEntries(listed?.query ?? []))).toEqual({
      tag: { key: 'team', value: 'billing' },
      limit: 5,
      cursor: 'next one',
      view: 'full',
    });
  });

  it('asks for summaries on every page', async () => {
    const { sent, fetch } = network(() => json(200, { items: [] }));
    const client = createClient({ baseUrl: 'http://punctual.test', fetch });
    await client.jobs.summaries({ include: 'recent' }).page('next one');
    const query = contract.listJobs.query.parse(Object.fromEntries(sent[0]?.query ?? []));
    expect(query).toMatchObject({ view: 'summary', include: 'recent', cursor: 'next one' });
    type Summaries = Awaited<ReturnType<ReturnType<typeof client.jobs.summaries>['page']>>;
    expectTypeOf<Summaries['items'][number]>().toEqualTypeOf<JobSummary>();
    expectTypeOf<JobSummary>().not.toHaveProperty('params');
  });

  it('escapes ids in paths', async () => {
    const { sent, fetch } = network(json(200, {}));
    await createClient({ baseUrl: 'http://punctual.test', fetch }).jobs.get('../health?x#y');
    expect(sent[0]?.path).toBe('/jobs/..%2Fhealth%3Fx%23y');
  });

  it('escapes names in paths, and sends the plan as a dry run', async () => {
    const { sent, fetch } = network(() => json(200, {}));
    const { namedJobs } = createClient({ baseUrl: 'http://punctual.test', fetch });
    await namedJobs.get({ namespace: 'a/b', name: 'c d' });
    await namedJobs.plan({ namespace: 'a', name: 'b.c' }, { task: 'noop', schedule: { cron: '0 9 * * *' } });
    expect(sent.map(({ path }) => path)).toEqual(['/jobs/by-name/a%2Fb/c%20d', '/jobs/by-name/a/b.c']);
    expect(Object.fromEntries(sent[1]?.query ?? [])).toEqual({ dryRun: 'true' });
  });

  it('has the types of the contract', () => {
    const client = createClient({ baseUrl: 'http://punctual.test' });
    expectTypeOf(client.jobs.get).returns.resolves.toEqualTypeOf<Job>();
    expectTypeOf(client.jobs.cancel).returns.resolves.toEqualTypeOf<undefined>();
    expectTypeOf(client.jobs.createAsync).returns.resolves.toEqualTypeOf<{
      id: string;
      warnings?: Job['warnings'];
    }>();
    expectTypeOf(client.executions.list({ workerId: 'w' }).page()).resolves.toEqualTypeOf<Page<Execution>>();
    expectTypeOf<JobInput>().toMatchObjectType<{ task: string }>();
    expectTypeOf<{ task: string }>().toExtend<JobInput>();
    expectTypeOf<{ name: string }>().not.toExtend<JobInput>();
    expectTypeOf<{ status: 'done' }>().not.toExtend<Parameters<typeof client.jobs.list>[0]>();
    expectTypeOf<Job['overlap']>().toEqualTypeOf<'skip' | 'queue' | 'allow'>();
  });
});
