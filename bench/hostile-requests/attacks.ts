// The attacks of each route: a valid request, which `variations.ts` changes in every part, and attacks that are written by hand.
// A route that is missing here is an error of the compiler and of the benchmark.
import { setTimeout as sleep } from 'node:timers/promises';
import type { contract } from '../../src/api/contract/contract.ts';
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
    tags: many(30_000, (n) => [n.toString(36).padStart(65, 'k').slice(0, 5), 1]),
  },
  'a list of invalid notifications': { ...JOB, notify: Array(10).fill({ on: Array(5_000).fill('x') }) },
};

const hostileCreates = (method: string, path: string, change: (job: object) => unknown = (job) => job) =>
  Object.entries(hostileJobs).map(([name, job]) =>
    attack(name, { method, path, body: JSON.stringify(change(job)) }),
  );

/** A batch of 100 jobs that share the size of one body. */
function batches(): Attack[] {
  const each = Math.floor(BODY_BYTES / 100) - 120;
  const post = (name: string, jobs: readonly string[]): Attack =>
    attack(name, { method: 'POST', path: '/jobs/batch', body: `{"jobs":[${jobs.join(',')}]}` });
  return Object.entries(hostileValues(each)).flatMap(([name, value]) => [
    post(
      `100 jobs: headers of ${name}`,
      Array(100).fill(`{"task":"http","params":{"url":"https://a.b","headers":${value}}}`),
    ),
    post(`100 jobs: ${name}`, Array(100).fill(value)),
  ]);
}

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
    own: async (server) => hostileCreates('PATCH', `/jobs/${await createdJob(server)}`),
  },
  putNamedJob: {
    valid: async (server) => ({ path: ofName, bodies: await createBodies(server) }),
    own: async () => hostileCreates('PUT', '/jobs/by-name/space/name'),
  },
  getNamedJob: { valid: async () => ({ path: ofName }) },
  cancelNamedJob: { valid: async () => ({ path: ofName }) },
  listJobs: {},
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
  listExecutions: {},
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
  previewSchedule: { valid: async () => ({ bodies: [{ value: { schedule: LATER, count: 1_000 } }] }) },
  listTasks: {},
  listWorkers: {},
  health: {},
  openapi: {},
  docs: {},
  docsFile: { valid: async () => ({ path: { file: 'swagger-ui.css' } }) },
};
