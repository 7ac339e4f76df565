// A typed client of the REST API, for browsers and Node: nothing but fetch. Answers are not validated again: the server
// is tested against the same contract, zod would multiply the size of a web page's bundle, and a strict check would
// make every client break on the first field that a newer server adds.
import { type ClientClock, wallClock } from './clock.ts';
import { ENDPOINTS } from './endpoints.ts';
import { type Listing, listing, type Page } from './listing.ts';
import { RETRY_DEFAULTS, type RetryOptions } from './retry.ts';
import { createTransport } from './transport.ts';
import type {
  Alternative,
  Answer,
  Body,
  ItemOf,
  JobChanges,
  JobInput,
  Operation,
  OperationId,
  Query,
} from './types.ts';
import { type WaitOptions, waitForExecution, waitForOperation } from './wait-for.ts';

/** For receivers of webhooks and of the task `http`. */
export { type SigningKey, type Verification, verifySignature } from '../tasks/http/signature.ts';
export { PunctualApiError, PunctualNetworkError, PunctualTimeoutError } from './errors.ts';
export type { Listing, Page } from './listing.ts';
export type * from './types.ts';
export { hasEnded, type WaitOptions } from './wait-for.ts';

export interface ClientOptions {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** A function is asked before every attempt, so that it can renew what has expired. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  readonly fetch?: typeof fetch;
  readonly retry?: RetryOptions;
  /** Of one attempt. Default 30 000. */
  readonly attemptTimeoutMs?: number;
  readonly clock?: ClientClock;
  /** In [0, 1): jitter. */
  readonly random?: () => number;
  /** Fresh for every job that is created. */
  readonly newKey?: () => string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface CreateOptions extends CallOptions {
  /** Made up unless given. Give your own to be safe over restarts of your program too. */
  readonly idempotencyKey?: string;
}

export interface PauseOptions extends ChangeOptions {
  /** ISO 8601 with an offset: the job is resumed then. */
  readonly until?: string;
}

export interface RunOptions extends CallOptions {
  /** In place of the job's own, for this run and its retries. */
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface EditOptions extends CallOptions {
  /** The `version` of the job as you read it, or an ETag: refused with 412 when it has changed since. */
  readonly ifMatch?: number | string;
}

export interface ChangeOptions extends CallOptions {
  /** Why; stands in the record of the change. */
  readonly note?: string;
}

interface Call<Id extends OperationId> extends CallOptions {
  readonly id?: string;
  readonly query?: Query<Id> | undefined;
  readonly body?: Body<Id>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The server will recognise a repetition. */
  readonly keyed?: boolean;
}

type ListQuery<Id extends OperationId> = NonNullable<Query<Id>>;

export type PunctualClient = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  const { token, clock = wallClock, newKey = randomKey } = options;
  const send = createTransport({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    token: typeof token === 'string' ? () => token : token,
    // called as a plain function: browsers refuse a fetch that is called as a method of anything else
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    clock,
    random: options.random ?? Math.random,
    retry: { ...RETRY_DEFAULTS, ...options.retry },
    attemptTimeoutMs: options.attemptTimeoutMs ?? 30_000,
  });

  /** `Result` is what the contract says that this request is answered with. */
  async function call<Id extends OperationId, Result = Answer<Id>>(
    operation: Id,
    { id = '', query, body, headers, keyed = false, signal }: Call<Id> = {},
  ): Promise<Result> {
    const { method, path, repeat } = ENDPOINTS[operation];
    const answer = await send({
      method,
      path: path.replace('{id}', encodeURIComponent(id)),
      query: Object(query),
      headers,
      body,
      repeatable: repeat === 'always' || (repeat === 'withKey' && keyed),
      signal,
    });
    return answer as Result;
  }

  function pages<
    Id extends 'listJobs' | 'listChanges' | 'listJobExecutions' | 'listExecutions' | 'listDeadLetters',
  >(operation: Id, { query, ...rest }: Call<Id>): Listing<ItemOf<Id>> {
    return listing((cursor) =>
      call<Id, Page<ItemOf<Id>>>(operation, {
        ...rest,
        query: (cursor === undefined ? query : { ...Object(query), cursor }) as Query<Id>,
      }),
    );
  }

  return {
    jobs: {
      /** Creates exactly one job, however often the network fails on the way. */
      create: (job: JobInput, { idempotencyKey = newKey(), signal }: CreateOptions = {}) =>
        call('createJob', {
          body: job,
          headers: { 'idempotency-key': idempotencyKey },
          keyed: true,
          signal,
        }),
      /** Hands it to the server's queue: accepted at once under its id, there a moment later. */
      createAsync: (job: JobInput, { idempotencyKey = newKey(), signal }: CreateOptions = {}) =>
        call<'createJob', Alternative<'createJob'>>('createJob', {
          body: job,
          headers: { 'idempotency-key': idempotencyKey, prefer: 'respond-async' },
          keyed: true,
          signal,
        }),
      /** Each is accepted or refused on its own; the results are in the order given. */
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
      /** Newest first; `for await` goes over all pages. */
      list: (query: ListQuery<'listJobs'> = {}, options: CallOptions = {}) =>
        pages('listJobs', { query, ...options }),
      edit: (id: string, changes: JobChanges, { ifMatch, signal }: EditOptions = {}) =>
        call('editJob', {
          id,
          body: changes,
          headers: { 'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch },
          keyed: ifMatch !== undefined && ifMatch !== '*',
          signal,
        }),
      pause: (id: string, { note, until, signal }: PauseOptions = {}) =>
        call('pauseJob', { id, body: given({ note, until }), signal }),
      resume: (id: string, { note, signal }: ChangeOptions = {}) =>
        call('resumeJob', { id, body: given({ note }), signal }),
      cancel: (id: string, { note, signal }: ChangeOptions = {}) =>
        call('cancelJob', { id, query: { note }, signal }),
      /** What people changed, newest first; `for await` goes over all pages. */
      changes: (id: string, query: ListQuery<'listChanges'> = {}, options: CallOptions = {}) =>
        pages('listChanges', { id, query, ...options }),
      /** Not repeated after a network error: it could run twice. Look at its executions instead. */
      run: (id: string, { params, signal }: RunOptions = {}) =>
        call('runJob', { id, body: given({ params }), signal }),
      /** Accepted at once; `operations` shows how far it is. */
      backfill: (id: string, range: Body<'backfillJob'>, options: CallOptions = {}) =>
        call('backfillJob', { id, body: range, ...options }),
    },
    executions: {
      /** Over all jobs. */
      list: (query: ListQuery<'listExecutions'> = {}, options: CallOptions = {}) =>
        pages('listExecutions', { query, ...options }),
      ofJob: (jobId: string, query: ListQuery<'listJobExecutions'> = {}, options: CallOptions = {}) =>
        pages('listJobExecutions', { id: jobId, query, ...options }),
      get: (id: string, options: CallOptions = {}) => call('getExecution', { id, ...options }),
      cancel: (id: string, options: CallOptions = {}) => call('cancelExecution', { id, ...options }),
      /** Not repeated after a network error. */
      retry: (id: string, options: CallOptions = {}) => call('retryExecution', { id, ...options }),
    },
    /** What takes longer than a request. */
    operations: {
      get: (id: string, options: CallOptions = {}) => call('getOperation', { id, ...options }),
      /** What is done stays. */
      stop: (id: string, options: CallOptions = {}) => call('stopOperation', { id, ...options }),
      /** Resolves with the operation once it is done, stopped or has failed. */
      waitFor: (id: string, options: WaitOptions<Operation> = {}) =>
        waitForOperation(id, (signal) => call('getOperation', { id, signal }), clock, options),
    },
    /** Resolves with the execution once it has succeeded, failed, or was skipped or cancelled. */
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
    /** For operators. */
    workers: async (options: CallOptions = {}) => (await call('listWorkers', options)).items,
    deadLetters: {
      list: (query: ListQuery<'listDeadLetters'> = {}, options: CallOptions = {}) =>
        pages('listDeadLetters', { query, ...options }),
      /** Not repeated after a network error. */
      redrive: (which: Body<'redriveDeadLetters'>, options: CallOptions = {}) =>
        call('redriveDeadLetters', { body: which, ...options }),
    },
    health: (options: CallOptions = {}) => call('health', options),
    openapi: (options: CallOptions = {}) => call('openapi', options),
  };
}

/** 128 random bits in hex. `crypto.randomUUID` is missing on pages that are not served over https. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** A body of the fields that have a value, or none. */
function given<Fields extends object>(fields: Fields): Fields | undefined {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : (Object.fromEntries(present) as Fields);
}
