// The attacks of each route: a valid request, which `variations.ts` changes in every part, and attacks that are written by hand.
// A route that is missing here is an error of the compiler and of the benchmark.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { contract } from '../../src/api/contract/contract.ts';
import type { Operation } from '../../src/api/contract/endpoint.ts';
import { docsFile } from '../../test/support/docs-file.ts';
import type { HostileRequest, Server } from './server.ts';
import { type Attack, BODY_BYTES, hostileValues, type ValidBody, type ValidRequest } from './variations.ts';

export interface RouteAttacks {
  /** Default: a request without parameters and body. */
  valid?(server: Server): Promise<ValidRequest>;
  /** Always measured, while only the slowest variations are. */
  own?(server: Server): Promise<readonly Attack[]>;
}

/** A schedule that is not due during the benchmark. */
const LATER = { cron: '0 9 1 1 *', timezone: 'Europe/Paris' };
const JOB = { task: 'noop', schedule: LATER };

const attack = (name: string, request: HostileRequest | ((n: number) => HostileRequest)): Attack => ({
  name,
  request: typeof request === 'function' ? request : () => request,
});

const createdJob = async (server: Server, job: object = JOB): Promise<string> =>
  (await server.call<{ id: string }>('POST', '/jobs', job)).id;

const ofJob = async (server: Server): Promise<ValidRequest> => ({ path: { id: await createdJob(server) } });

async function createdExecution(server: Server, params: object = {}): Promise<string> {
  const job = await createdJob(server, { ...JOB, params, retry: { maxAttempts: 1 } });
  const { id } = await server.call<{ id: string }>('POST', `/jobs/${job}/run`);
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await server.call<{ status: string }>('GET', `/executions/${id}`);
    if (status === 'succeeded' || status === 'failed') return id;
    await sleep(50);
  }
  throw new Error('the execution did not end');
}

const ofExecution = async (server: Server): Promise<ValidRequest> => ({
  path: { id: await createdExecution(server) },
});

const ofName = { namespace: 'space', name: 'name' };

const many = (count: number, one: (n: number) => [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => one(n)));

const SECRET = { $secret: 'x' };
const illegalWithSecrets = many(9_800, (n) => [`é${n.toString(36)}`, SECRET]);

interface TaskView {
  readonly name: string;
  readonly params: { readonly examples?: readonly unknown[] };
}

interface TaskJob {
  readonly task: string;
  readonly params: unknown;
}

/** A job of each task, with the schema of its params. */
async function jobsOfTasks(server: Server, wrap: (job: TaskJob) => ValidBody): Promise<ValidBody[]> {
  const { items } = await server.call<{ items: readonly TaskView[] }>('GET', '/tasks');
  return items.map(({ name, params }) => {
    const body = wrap({ ...JOB, task: name, params: params.examples?.[0] ?? {} });
    return { ...body, schema: params, at: [...(body.at ?? []), 'params'] };
  });
}

/** Bodies of a create: one for the fields of a job, and one for the params of each task. */
const createBodies = async (server: Server): Promise<ValidBody[]> => [
  { value: JOB },
  ...(await jobsOfTasks(server, (value) => ({ value }))),
];

/** Fires on 2026-12-21, then in 2127. */
const FAR = {
  every: 'PT3599S',
  startAt: '2016-12-21T05:56:28Z',
  timezone: 'Europe/Paris',
  except: [
    { cron: '* * * JAN-NOV *' },
    { cron: '* * 1-20,22-31 * *' },
    { cron: '* 0-6,8-23 * * *' },
    { cron: '0-57,59 * * * *' },
  ],
};
const dateOf = (n: number): string => new Date(Date.UTC(2027, 0, 1 + n)).toISOString().slice(0, 10);
/** Many short keys need the most time for each byte of JSON. */
const LARGE = many(25_000, (n) => [n.toString(36), n % 10]);
const LARGER = many(25_000, (n) => [n.toString(36), (n + 1) % 10]);

/** Jobs whose body is hard to check, for a create, an edit and a batch. */
const hostileJobs: Readonly<Record<string, object>> = {
  'http headers of illegal names with secrets': {
    ...JOB,
    task: 'http',
    params: { url: 'https://example.com', headers: illegalWithSecrets },
  },
  'sqs attributes of illegal names with secrets': {
    ...JOB,
    task: 'sqs',
    params: {
      queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders',
      body: 1,
      attributes: illegalWithSecrets,
    },
  },
  'container variables of illegal names with secrets': {
    ...JOB,
    task: 'container',
    params: { taskDefinition: 'report:3', environment: illegalWithSecrets },
  },
  'tags of illegal names': {
    ...JOB,
    tags: many(15_000, (n) => [n.toString(36).padStart(6, 'é'), 1]),
  },
  'a list of invalid notifications': { ...JOB, notify: Array(10).fill({ on: Array(5_000).fill('x') }) },
  'notifications of unknown fields': { ...JOB, notify: Array(10).fill(many(2_000, (n) => [`a${n}`, 1])) },
  'a rate whose only allowed second is decades away': { ...JOB, schedule: FAR },
  'a rate with an exception for each date': {
    ...JOB,
    schedule: { every: 'PT1S', except: Array.from({ length: 10_000 }, (_, n) => dateOf(n)) },
  },
  'the largest valid params': { ...JOB, task: 'http', params: { url: 'https://example.com', body: LARGE } },
};

const hostileCreates = (method: string, path: string, change: (job: object) => unknown = (job) => job) =>
  Object.entries(hostileJobs).map(([name, job]) =>
    attack(name, { method, path, body: JSON.stringify(change(job)) }),
  );

const HARD_IN_A_BATCH = [
  'an object of many fields',
  'an object of illegal keys with secrets',
  'lists up to the allowed depth',
  'a list of objects with a field',
];

/** A batch of 100 jobs that share the size of one body. */
function batches(): Attack[] {
  const each = Math.floor(BODY_BYTES / 100) - 120;
  const post = (name: string, jobs: readonly string[]): Attack =>
    attack(name, { method: 'POST', path: '/jobs/batch', body: `{"jobs":[${jobs.join(',')}]}` });
  const hardest = Object.entries(hostileValues(each)).filter(([name]) => HARD_IN_A_BATCH.includes(name));
  return hardest.flatMap(([name, value]) => [
    post(
      `100 jobs: headers of ${name}`,
      Array(100).fill(`{"task":"http","params":{"url":"https://a.b","headers":${value}}}`),
    ),
    post(`100 jobs: ${name}`, Array(100).fill(value)),
  ]);
}

/** Lists of a user whose jobs are as large and as hard to search as they may be. */
async function lists(server: Server, path: string, queries: readonly string[]): Promise<Attack[]> {
  const body = 'x'.repeat(200_000);
  const schedule = await allowed(server, FAR);
  for (let n = 0; n < 100; n++)
    await server.call('POST', '/jobs', {
      ...JOB,
      schedule,
      task: 'http',
      params: { url: 'https://example.com', body },
    });
  return queries.map((query) =>
    attack(`100 large jobs: ${query || 'a page'}`, { method: 'GET', path: `${path}?limit=100${query}` }),
  );
}

/** The schedule, or another one if the server refuses it. */
async function allowed(server: Server, schedule: object): Promise<object> {
  const body = JSON.stringify({ ...JOB, schedule });
  const { status } = await server.send({ method: 'POST', path: '/jobs', body });
  return status === 201 ? schedule : LATER;
}

const ids = (count: number): string =>
  JSON.stringify({
    ids: Array.from(
      { length: count },
      (_, n) => `job_${String(n).padStart(20, '0')}.${1_800_000_000_000 + n}`,
    ),
  });

const hostilePreviews: Attack[] = Object.entries({
  'a rate whose only allowed second is decades away': FAR,
  'the same second for a cron': { cron: '* * * * *', timezone: 'Europe/Paris', except: FAR.except },
  'a leap day': { cron: '0 9 29 2 MON', timezone: 'Europe/Paris' },
  'every second, with an exception for nearly every minute': {
    every: 'PT1S',
    except: [{ cron: '0-58 * * * *' }],
  },
}).map(([name, schedule]) =>
  attack(name, {
    method: 'POST',
    path: '/schedules/preview',
    body: JSON.stringify({ schedule, count: 100 }),
  }),
);

export const ATTACKS: Readonly<Record<keyof typeof contract, RouteAttacks>> = {
  createJob: {
    valid: async (server) => ({ bodies: await createBodies(server) }),
    own: async () => hostileCreates('POST', '/jobs'),
  },
  createJobs: {
    valid: async (server) => ({
      bodies: [
        { value: { jobs: [JOB] } },
        ...(await jobsOfTasks(server, (job) => ({ value: { jobs: [job] }, at: ['jobs', '0'] }))),
      ],
    }),
    own: async () => [...hostileCreates('POST', '/jobs/batch', (job) => ({ jobs: [job] })), ...batches()],
  },
  editJob: {
    valid: async (server) => ({
      ...(await ofJob(server)),
      bodies: [
        { value: { tags: {} } },
        ...(await jobsOfTasks(server, ({ task, params }) => ({
          value: { task, params },
        }))),
      ],
    }),
    own: async (server) => [
      ...hostileCreates('PATCH', `/jobs/${await createdJob(server)}`),
      attack('params that differ in every key', {
        method: 'PATCH',
        path: `/jobs/${await createdJob(server, { ...JOB, task: 'http', params: { url: 'https://example.com', body: LARGE } })}`,
        body: JSON.stringify({ params: { url: 'https://example.com', body: LARGER } }),
      }),
    ],
  },
  putNamedJob: {
    valid: async (server) => ({ path: ofName, bodies: await createBodies(server) }),
    own: async (server) => {
      const path = '/jobs/by-name/space/large';
      const job = (body: object) => ({ ...JOB, task: 'http', params: { url: 'https://example.com', body } });
      await server.call('PUT', path, job(LARGE));
      const dryRun = { method: 'PUT', path: `${path}?dryRun=true` };
      return [
        ...hostileCreates('PUT', '/jobs/by-name/space/name'),
        attack('the same large params', { ...dryRun, body: JSON.stringify(job(LARGE)) }),
        attack('params that differ in every key', { ...dryRun, body: JSON.stringify(job(LARGER)) }),
      ];
    },
  },
  // an owner without jobs: the erasure of the benchmark's own would take away what the other routes read
  eraseOwner: { valid: async () => ({ path: { owner: 'nobody' } }) },
  getNamedJob: { valid: async () => ({ path: ofName }) },
  cancelNamedJob: { valid: async () => ({ path: ofName }) },
  listJobs: {
    own: (server) =>
      lists(server, '/jobs', ['', '&view=summary&include=recent', '&status=active', '&tag=a:b']),
  },
  getJob: { valid: ofJob },
  listChanges: { valid: ofJob },
  explainJob: { valid: ofJob },
  cancelJob: { valid: ofJob },
  runJob: {
    valid: async (server) => ({
      path: {
        id: await createdJob(server, { ...JOB, task: 'http', params: { url: 'https://example.invalid' } }),
      },
      bodies: [{ value: { params: {} } }],
    }),
  },
  pauseJob: { valid: async (server) => ({ ...(await ofJob(server)), bodies: [{ value: {} }] }) },
  resumeJob: { valid: async (server) => ({ ...(await ofJob(server)), bodies: [{ value: {} }] }) },
  backfillJob: {
    valid: async (server) => ({
      ...(await ofJob(server)),
      bodies: [{ value: { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' } }],
    }),
  },
  changeJobs: {
    valid: async () => ({ query: { dryRun: 'true' }, bodies: [{ value: { action: 'pause', all: true } }] }),
  },
  listJobExecutions: { valid: ofJob },
  listExecutions: {
    own: (server) =>
      lists(server, '/executions', ['', '&status=scheduled', '&status=failed', '&status=running']),
  },
  getExecution: { valid: ofExecution },
  listLogLines: { valid: ofExecution },
  cancelExecution: { valid: async (server) => ({ ...(await ofExecution(server)), bodies: [{ value: {} }] }) },
  retryExecution: { valid: async (server) => ({ ...(await ofExecution(server)), bodies: [{ value: {} }] }) },
  listDeadLetters: {},
  redriveDeadLetters: {
    valid: async (server) => {
      const id = await createdExecution(server, { fail: true });
      return { bodies: [{ value: { ids: [id] } }, { value: { jobId: id.split('.')[0] } }] };
    },
    own: async () => [
      attack('100 unknown ids', { method: 'POST', path: '/dead-letters/redrive', body: ids(100) }),
      attack('5,000 unknown ids', { method: 'POST', path: '/dead-letters/redrive', body: ids(5_000) }),
    ],
  },
  groupDeadLetters: {},
  dismissDeadLetters: {
    valid: async (server) => ({
      bodies: [{ value: { ids: [await createdExecution(server, { fail: true })] } }],
    }),
  },
  getOperation: { valid: async () => ({ path: { id: 'op_00000000000000000000' } }) },
  stopOperation: { valid: async () => ({ path: { id: 'op_00000000000000000000' } }) },
  getLimits: { valid: async () => ({ path: { owner: 'mallory' } }) },
  setLimits: { valid: async () => ({ path: { owner: 'somebody' }, bodies: [{ value: {} }] }) },
  getForecast: {},
  getSystem: {},
  getStatistics: {},
  summarizeExecutions: {},
  previewSchedule: {
    valid: async () => ({ bodies: [{ value: { schedule: LATER, count: 10 } }] }),
    own: async () => hostilePreviews,
  },
  listTasks: {},
  listWorkers: {},
  health: {},
  openapi: {},
  docs: {},
  docsFile: { valid: async () => ({ path: { file: docsFile() } }) },
};

const open = (method: Operation['method'], path: string, params?: Operation['params']): Operation => ({
  id: path,
  service: 'query',
  method,
  path,
  params,
  summary: '',
  auth: false,
  success: { status: 200, description: '' },
  errors: [],
});

/** What the server answers beside the contract: the console, the proof of the server, and unknown routes. */
export const OTHER_ROUTES: readonly Operation[] = [
  open('GET', '/'),
  open('GET', '/console/{file}', z.strictObject({ file: z.string() })),
  open('GET', '/.well-known/punctual-server'),
  open('GET', '/{unknown}', z.strictObject({ unknown: z.string() })),
  open('POST', '/jobs/{id}/{unknown}', z.strictObject({ id: z.string(), unknown: z.string() })),
];
