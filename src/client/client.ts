// A typed client of the REST API for browsers and Node. It needs only fetch. Responses are not validated again,
// because the tests of the server check them against the contract. zod would multiply the bundle size of a web page. Strict
// schemas would break clients on the first field that a newer server adds.
import { type ClientClock, wallClock } from './clock.ts';
import { ENDPOINTS } from './endpoints.ts';
import { type Listing, listing, type Page } from './listing.ts';
import { RETRY_DEFAULTS, type RetryOptions } from './retry.ts';
import { createTransport } from './transport.ts';
import type {
  Alternative,
  Answer,
  Body,
  BulkChange,
  ItemOf,
  Job,
  JobChanges,
  JobInput,
  JobName,
  JobSummary,
  NamedJobInput,
  NamedJobPlan,
  Operation,
  OperationId,
  Query,
} from './types.ts';
import { type WaitOptions, waitForExecution, waitForOperation } from './wait-for.ts';

/** For receivers of webhooks and of requests of the task `http`. */
export { type SigningKey, type Verification, verifySignature } from '../tasks/http/signature.ts';
export { PunctualApiError, PunctualNetworkError, PunctualTimeoutError } from './errors.ts';
export type { Listing, Page } from './listing.ts';
export type * from './types.ts';
export { hasEnded, type WaitOptions } from './wait-for.ts';

export interface ClientOptions {
  /** The URL of the API, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** The access token. A function is called before every attempt, so that it can renew an expired token. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  readonly fetch?: typeof fetch;
  readonly retry?: RetryOptions;
  /** The timeout of one attempt. Default 30 000. */
  readonly attemptTimeoutMs?: number;
  readonly clock?: ClientClock;
  /** A random number in [0, 1) for the jitter of retries. */
  readonly random?: () => number;
  /** Creates the idempotency keys. */
  readonly newKey?: () => string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface CreateOptions extends CallOptions {
  /** Default: a new random key per call. With your own key, a repeated call after a restart creates no second job. */
  readonly idempotencyKey?: string;
}

export interface PauseOptions extends ChangeOptions {
  /** The end of the pause, in ISO 8601 with an offset. */
  readonly until?: string;
}

export interface RunOptions extends CallOptions {
  /** Params for this run and its retries, instead of the job's own. */
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface EditOptions extends CallOptions {
  /** The `version` or the ETag of the job. If the job has changed since, the edit is refused with 412. */
  readonly ifMatch?: number | string;
}

export interface NamedOptions extends CallOptions {
  /** The ETag or the `version` of the job. If the job has changed since, the request is refused with 412. */
  readonly ifMatch?: number | string;
}

export interface ChangeOptions extends CallOptions {
  /** The reason, kept in the record of the change. */
  readonly note?: string;
}

interface Call<Id extends OperationId> extends CallOptions {
  readonly id?: string;
  readonly name?: JobName;
  readonly query?: Query<Id> | undefined;
  readonly body?: Body<Id>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Whether the server recognises a repeated request, by an idempotency key or by `If-Match`. */
  readonly keyed?: boolean;
}

type ListQuery<Id extends OperationId> = NonNullable<Query<Id>>;

export type PunctualClient = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  const { token, clock = wallClock, newKey = randomKey } = options;
  const send = createTransport({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    token: typeof token === 'string' ? () => token : token,
    // Called as a plain function, because browsers refuse `fetch` as a method of another object.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    clock,
    random: options.random ?? Math.random,
    retry: { ...RETRY_DEFAULTS, ...options.retry },
    attemptTimeoutMs: options.attemptTimeoutMs ?? 30_000,
  });

  /** `Result` is the type of the response according to the contract. */
  async function call<Id extends OperationId, Result = Answer<Id>>(
    operation: Id,
    { id = '', name, query, body, headers, keyed = false, signal }: Call<Id> = {},
  ): Promise<Result> {
    const { method, path, repeat } = ENDPOINTS[operation];
    const response = await send({
      method,
      path: path
        .replace(/\{id\}|\{owner\}/, encodeURIComponent(id))
        .replace('{namespace}', encodeURIComponent(name?.namespace ?? ''))
        .replace('{name}', encodeURIComponent(name?.name ?? '')),
      query: Object(query),
      headers,
      body,
      repeatable: repeat === 'always' || (repeat === 'withKey' && keyed),
      signal,
    });
    return response as Result;
  }

  function pages<
    Id extends 'listJobs' | 'listChanges' | 'listJobExecutions' | 'listExecutions' | 'listDeadLetters',
    Item = ItemOf<Id>,
  >(operation: Id, { query, ...rest }: Call<Id>): Listing<Item> {
    return listing((cursor) =>
      call<Id, Page<Item>>(operation, {
        ...rest,
        query: (cursor === undefined ? query : { ...Object(query), cursor }) as Query<Id>,
      }),
    );
  }

  return {
    jobs: {
      /** Creates exactly one job: a repeated request has the same idempotency key. */
      create: (job: JobInput, { idempotencyKey = newKey(), signal }: CreateOptions = {}) =>
        call('createJob', {
          body: job,
          headers: { 'idempotency-key': idempotencyKey },
          keyed: true,
          signal,
        }),
      /** Queues the job on the server and resolves with its id. The job exists a moment later. */
      createAsync: (job: JobInput, { idempotencyKey = newKey(), signal }: CreateOptions = {}) =>
        call<'createJob', Alternative<'createJob'>>('createJob', {
          body: job,
          headers: { 'idempotency-key': idempotencyKey, prefer: 'respond-async' },
          keyed: true,
          signal,
        }),
      /** Creates or refuses each job independently. The results are in the order of `jobs`. */
      createBatch: async (
        jobs: readonly JobInput[],
        { idempotencyKey = newKey(), signal }: CreateOptions = {},
      ) => {
        const { results } = await call('createJobs', {
          body: { jobs: [...jobs] },
          headers: { 'idempotency-key': idempotencyKey },
          keyed: true,
          signal,
        });
        return results;
      },
      get: (id: string, options: CallOptions = {}) => call('getJob', { id, ...options }),
      /** Newest first. `for await` iterates over all pages. */
      list: (query: Omit<ListQuery<'listJobs'>, 'view'> = {}, options: CallOptions = {}) =>
        pages<'listJobs', Job>('listJobs', { query, ...options }),
      /** Jobs without `params` and `notify`, newest first. With `include: 'recent'`, each has its last executions. */
      summaries: (query: Omit<ListQuery<'listJobs'>, 'view'> = {}, options: CallOptions = {}) =>
        pages<'listJobs', JobSummary>('listJobs', { query: { ...query, view: 'summary' }, ...options }),
      edit: (id: string, changes: JobChanges, { ifMatch, signal }: EditOptions = {}) =>
        call('editJob', {
          id,
          body: changes,
          headers: matching(ifMatch),
          keyed: ifMatch !== undefined && ifMatch !== '*',
          signal,
        }),
      pause: (id: string, { note, until, signal }: PauseOptions = {}) =>
        call('pauseJob', { id, body: definedFields({ note, until }), signal }),
      resume: (id: string, { note, signal }: ChangeOptions = {}) =>
        call('resumeJob', { id, body: definedFields({ note }), signal }),
      cancel: (id: string, { note, signal }: ChangeOptions = {}) =>
        call('cancelJob', { id, query: { note }, signal }),
      /** The recorded changes of the job, newest first. `for await` iterates over all pages. */
      changes: (id: string, query: ListQuery<'listChanges'> = {}, options: CallOptions = {}) =>
        pages('listChanges', { id, query, ...options }),
      /** Why the job did or did not run. Without `at`, at the latest time at which it was due. */
      explain: (id: string, query: Query<'explainJob'> = {}, options: CallOptions = {}) =>
        call('explainJob', { id, query, ...options }),
      /** Not repeated after a network error, because the job could run twice. List its executions before you repeat it. */
      run: (id: string, { params, signal }: RunOptions = {}) =>
        call('runJob', { id, body: definedFields({ params }), signal }),
      /** Resolves when the server has accepted the backfill. `operations` has its progress. */
      backfill: (id: string, range: Body<'backfillJob'>, options: CallOptions = {}) =>
        call('backfillJob', { id, body: range, ...options }),
      /** Pauses, resumes or cancels all jobs that match. Resolves when the server has accepted it. `operations` has its progress. */
      bulk: (change: BulkChange, options: CallOptions = {}) =>
        call('changeJobs', { body: change, ...options }),
      /** The number of jobs that `bulk` would change. Nothing is changed. */
      bulkDryRun: (change: BulkChange, options: CallOptions = {}) =>
        call<'changeJobs', Alternative<'changeJobs'>>('changeJobs', {
          body: change,
          query: { dryRun: 'true' },
          ...options,
        }),
    },
    /** Jobs by namespace and name. However often a request is sent, a name has one job. */
    namedJobs: {
      get: (name: JobName, options: CallOptions = {}) => call('getNamedJob', { name, ...options }),
      /** Creates, edits or replaces the job. `action` of the result says which. */
      put: (name: JobName, job: NamedJobInput, { ifMatch, signal }: NamedOptions = {}) =>
        call<'putNamedJob', Job>('putNamedJob', { name, body: job, headers: matching(ifMatch), signal }),
      /** The dry run of `put`: its action and changes. Nothing is written. */
      plan: (name: JobName, job: NamedJobInput, { ifMatch, signal }: NamedOptions = {}) =>
        call<'putNamedJob', NamedJobPlan>('putNamedJob', {
          ...{ name, body: job, headers: matching(ifMatch), signal },
          query: { dryRun: 'true' },
        }),
      cancel: (name: JobName, { note, ifMatch, signal }: NamedOptions & ChangeOptions = {}) =>
        call('cancelNamedJob', { name, query: { note }, headers: matching(ifMatch), signal }),
    },
    executions: {
      /** The executions of all jobs. */
      list: (query: ListQuery<'listExecutions'> = {}, options: CallOptions = {}) =>
        pages('listExecutions', { query, ...options }),
      ofJob: (jobId: string, query: ListQuery<'listJobExecutions'> = {}, options: CallOptions = {}) =>
        pages('listJobExecutions', { id: jobId, query, ...options }),
      /** Counts by status, lateness and the three latest of your newest 1,000 executions in the range. */
      summary: (query: Query<'summarizeExecutions'> = {}, options: CallOptions = {}) =>
        call('summarizeExecutions', { query, ...options }),
      get: (id: string, options: CallOptions = {}) => call('getExecution', { id, ...options }),
      /** A page of the lines that its task has logged. With `cursor` set to the id of a line, the lines after it. */
      logs: (id: string, query: ListQuery<'listLogLines'> = {}, options: CallOptions = {}) =>
        call('listLogLines', { id, query, ...options }),
      cancel: (id: string, options: CallOptions = {}) => call('cancelExecution', { id, ...options }),
      /** Not repeated after a network error. */
      retry: (id: string, options: CallOptions = {}) => call('retryExecution', { id, ...options }),
    },
    /** Background operations: backfills, bulk changes and erasures. */
    operations: {
      get: (id: string, options: CallOptions = {}) => call('getOperation', { id, ...options }),
      /** Executions that the operation has added still run, and jobs that it has changed stay changed. */
      stop: (id: string, options: CallOptions = {}) => call('stopOperation', { id, ...options }),
      /** Resolves when the operation is done, stopped or failed. */
      waitFor: (id: string, options: WaitOptions<Operation> = {}) =>
        waitForOperation(id, (signal) => call('getOperation', { id, signal }), clock, options),
    },
    /** Resolves when the execution has succeeded, failed, or was skipped or cancelled. */
    waitFor: (executionId: string, options: WaitOptions = {}) =>
      waitForExecution(
        executionId,
        (signal) => call('getExecution', { id: executionId, signal }),
        clock,
        options,
      ),
    preview: (body: Body<'previewSchedule'>, options: CallOptions = {}) =>
      call('previewSchedule', { body, ...options }),
    tasks: async (options: CallOptions = {}) => (await call('listTasks', options)).items,
    /** Counts and lateness of all executions over time. For operators only. */
    stats: (query: Query<'getStatistics'> = {}, options: CallOptions = {}) =>
      call('getStatistics', { query, ...options }),
    /** For operators only. */
    workers: async (options: CallOptions = {}) => (await call('listWorkers', options)).items,
    /** The number of executions that are due in the next minutes. For operators only. */
    forecast: (options: CallOptions = {}) => call('getForecast', options),
    /** The version, the engine and the cursors of the shards. For operators only. */
    system: (options: CallOptions = {}) => call('getSystem', options),
    deadLetters: {
      list: (query: ListQuery<'listDeadLetters'> = {}, options: CallOptions = {}) =>
        pages('listDeadLetters', { query, ...options }),
      /** Not repeated after a network error. */
      redrive: (selection: Body<'redriveDeadLetters'>, options: CallOptions = {}) =>
        call('redriveDeadLetters', { body: selection, ...options }),
      groups: (query: Query<'groupDeadLetters'> = {}, options: CallOptions = {}) =>
        call('groupDeadLetters', { query, ...options }),
      /** They stay failed and leave the list. Not repeated after a network error. */
      dismiss: (ids: readonly string[], options: CallOptions = {}) =>
        call('dismissDeadLetters', { body: { ids: [...ids] }, ...options }),
    },
    owners: {
      /** Erases everything of an owner, for ever. For operators, and for users who erase what they own. */
      erase: (owner: string, options: CallOptions = {}) => call('eraseOwner', { id: owner, ...options }),
    },
    /** The limits of an owner. */
    limits: {
      /** For operators, and for users who read their own. */
      get: (owner: string, options: CallOptions = {}) => call('getLimits', { id: owner, ...options }),
      /** For operators only. The values replace all that were set before. Null or absent: the default of the deployment. */
      set: (owner: string, limits: Body<'setLimits'>, options: CallOptions = {}) =>
        call('setLimits', { id: owner, body: limits, ...options }),
    },
    health: (options: CallOptions = {}) => call('health', options),
    openapi: (options: CallOptions = {}) => call('openapi', options),
  };
}

const matching = (ifMatch: number | string | undefined) => ({
  'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch,
});

/** 128 random bits in hex. `crypto.randomUUID` does not exist on pages that are not served over HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The fields that are not undefined. Undefined if there are none, so that no body is sent. */
function definedFields<Fields extends object>(fields: Fields): Fields | undefined {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : (Object.fromEntries(present) as Fields);
}
