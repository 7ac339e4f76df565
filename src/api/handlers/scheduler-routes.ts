// The routes of the API: the use case of each operation. The operations that only read are in query-routes.ts.
import { InvalidInput } from '../../domain/errors.ts';
import type { JobSpec } from '../../domain/jobs/job-spec.ts';
import { NO_LIMITS } from '../../domain/jobs/owner-limits.ts';
import { jsonBytes } from '../../domain/jobs/stored-bytes.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import { backfill } from '../../jobs/begin-backfill.ts';
import { beginBulk, countBulk } from '../../jobs/begin-bulk.ts';
import { cancelExecution } from '../../jobs/cancel-execution.ts';
import { cancelJob } from '../../jobs/cancel-job.ts';
import { acceptJob } from '../../jobs/create-async.ts';
import { createJob } from '../../jobs/create-job.ts';
import { dismissByIds } from '../../jobs/dismiss.ts';
import { type ChangedJob, editJob } from '../../jobs/edit-job.ts';
import { createQuotas, type Quotas } from '../../jobs/enforce-quotas.ts';
import { eraseOwner } from '../../jobs/erase-owner.ts';
import { setLimits } from '../../jobs/limits/set-limits.ts';
import { retryExecution, runNow } from '../../jobs/manual-runs.ts';
import { stopOperation } from '../../jobs/operations/operation-requests.ts';
import { pauseJob, resumeJob } from '../../jobs/pause-job.ts';
import { redriveByIds, redriveOfError, redriveOfJob } from '../../jobs/redrive.ts';
import { getExecution } from '../../queries/get-execution.ts';
import type { IngestQueue } from '../../queue/ingest-queue.ts';
import type { Context } from '../../scheduling/context.ts';
import { NO_RECIPIENTS, type Recipients } from '../../tasks/aws/recipients.ts';
import type { Tasks } from '../../tasks/task.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { contract } from '../contract/contract.ts';
import { MAX_REDRIVEN } from '../contract/executions.ts';
import { withVersion } from '../http/etag.ts';
import { type Route, route } from '../http/route.ts';
import { createBatch, parseBatch } from './create-batch.ts';
import { docsRoutes } from './docs-routes.ts';
import { createHealthCheck } from './health.ts';
import { type JobRules, parseJobPatch, parseJobSpec, taskErrors } from './job-input.ts';
import { namedJobRoutes } from './named-job-routes.ts';
import { queryRoutes } from './query-routes.ts';

export interface RoutesOptions {
  /** Default: no limits. */
  readonly quotas?: Quotas;
  /** The queue for `Prefer: respond-async`. Without it, jobs are always created during the request. */
  readonly ingest?: IngestQueue;
  /** The e-mail addresses that notifications may be sent to. Default: none. */
  readonly recipients?: Recipients;
  /** Default: none is available. */
  readonly telemetry?: Telemetry;
}

export const routes = (ctx: Context, tasks: Tasks, options: RoutesOptions = {}): Route[] => [
  ...schedulerRoutes(ctx, tasks, { quotas: createQuotas(ctx, NO_LIMITS), ...options }),
  ...queryRoutes(ctx, tasks, options.quotas?.values.defaults, options.telemetry),
  ...docsRoutes(),
];

function schedulerRoutes(
  ctx: Context,
  tasks: Tasks,
  { quotas, ingest, recipients = NO_RECIPIENTS }: RoutesOptions & { readonly quotas: Quotas },
): Route[] {
  const rules: JobRules = { tasks, recipients };
  const durationMs = (task: string, params: unknown) => tasks.get(task)?.minDurationMs?.(params);
  const checkSpec = (userId: string, { timeoutSeconds, task, params }: JobSpec, schedule: Schedule) =>
    quotas.checkFields(userId, { schedule, timeoutSeconds, durationMs: durationMs(task, params) });
  const checkChanged = (userId: string, { task, params, ...fields }: Omit<ChangedJob, 'bytes'>) =>
    quotas.checkFields(userId, { ...fields, durationMs: params && durationMs(task, params) });
  const admission = (userId: string) => async (schedule: Schedule, spec: JobSpec, bytes: number) => {
    await checkSpec(userId, spec, schedule);
    // one after the other, so that a create that the rate refuses does not count as a job
    await quotas.takeCreate(userId);
    await quotas.takeJob(userId, bytes);
  };
  const { takeBytes } = quotas;

  const checkHealth = createHealthCheck(ctx);

  return [
    route(contract.createJob, {
      body: (input) => parseJobSpec(rules, input),
      async handle({ body: spec, headers }, { userId }) {
        const request = { userId, spec, idempotencyKey: headers['idempotency-key'] };
        if (ingest && prefersAsync(headers.prefer)) {
          const accepted = await acceptJob(ctx, ingest, { ...request, admit: admission(userId) });
          if (accepted) {
            const headers = { location: `/jobs/${accepted.id}`, 'preference-applied': 'respond-async' };
            return { alternative: true, body: accepted, headers };
          }
        }
        const { job } = await createJob(ctx, { ...request, admit: admission(userId) });
        return withVersion(job, { location: `/jobs/${job.id}` });
      },
    }),
    route(contract.createJobs, {
      body: parseBatch,
      async handle({ body: { jobs }, headers }, { userId }, { requestId }) {
        const idempotencyKey = headers['idempotency-key'];
        const admit = admission(userId);
        return {
          body: {
            results: await createBatch(ctx, rules, { jobs, userId, idempotencyKey, admit, requestId }),
          },
        };
      },
    }),
    route(contract.editJob, {
      body: (input) => parseJobPatch(rules, input),
      async handle({ params, headers, body }, principal) {
        const job = await editJob(ctx, principal, params.id, body, {
          ifMatch: headers['if-match'],
          checkParams(task, params) {
            const errors = taskErrors(tasks, { task, params });
            if (errors.length > 0) throw new InvalidInput(errors);
          },
          async admit(userId, changed) {
            await checkChanged(userId, changed);
            await takeBytes(userId, changed.bytes);
          },
        });
        return withVersion(job);
      },
    }),
    ...namedJobRoutes(ctx, rules, quotas, checkChanged),
    route(contract.cancelJob, {
      async handle({ params, query }, principal) {
        await cancelJob(ctx, principal, params.id, query);
        return {};
      },
    }),
    route(contract.runJob, {
      async handle({ params, body }, principal) {
        const execution = await runNow(ctx, principal, params.id, {
          params: body?.params,
          checkParams(task, runParams) {
            const errors = taskErrors(tasks, { task, params: runParams });
            if (errors.length > 0) throw new InvalidInput(errors);
          },
          async admit(head) {
            const { userId, task } = head;
            await quotas.checkFields(userId, { durationMs: durationMs(task, body?.params) });
            await quotas.takeStarts(userId, startsOf(body?.params));
          },
        });
        return { body: execution, headers: { location: `/executions/${execution.id}` } };
      },
    }),
    route(contract.pauseJob, {
      handle: async ({ params, body }, principal) =>
        withVersion(await pauseJob(ctx, principal, params.id, { ...body, takeBytes })),
    }),
    route(contract.resumeJob, {
      handle: async ({ params, body }, principal) =>
        withVersion(await resumeJob(ctx, principal, params.id, { ...body, takeBytes })),
    }),
    route(contract.backfillJob, {
      async handle({ params, body }, principal) {
        const planned = await backfill(ctx, principal, params.id, body, quotas.takeStarts);
        return { body: planned, headers: { location: `/operations/${planned.operation}` } };
      },
    }),
    route(contract.changeJobs, {
      async handle({ query, body }, principal) {
        if (query.dryRun) return { alternative: true, body: await countBulk(ctx, principal, body) };
        const begun = await beginBulk(ctx, principal, body, takeBytes);
        return { body: begun, headers: { location: `/operations/${begun.operation}` } };
      },
    }),
    route(contract.eraseOwner, {
      async handle({ params }, principal) {
        const begun = await eraseOwner(ctx, principal, params.owner);
        return { body: begun, headers: { location: `/operations/${begun.operation}` } };
      },
    }),
    route(contract.stopOperation, {
      async handle({ params }, principal) {
        await stopOperation(ctx, principal, params.id);
        return {};
      },
    }),
    route(contract.cancelExecution, {
      async handle({ params }, principal) {
        await cancelExecution(ctx, principal, params.id);
        return { body: await getExecution(ctx, principal, params.id) };
      },
    }),
    route(contract.retryExecution, {
      handle: async ({ params }, principal) => ({
        body: await retryExecution(ctx, principal, params.id, quotas.takeStarts),
      }),
    }),
    route(contract.redriveDeadLetters, {
      handle: async ({ body }, principal) => ({
        body: await ('ids' in body
          ? redriveByIds(ctx, principal, body.ids, quotas.takeStarts)
          : 'errorKey' in body
            ? redriveOfError(ctx, principal, body, MAX_REDRIVEN, quotas.takeStarts)
            : redriveOfJob(ctx, principal, body, MAX_REDRIVEN, quotas.takeStarts)),
      }),
    }),
    route(contract.setLimits, {
      handle: async ({ params, body }, principal) => ({
        body: await setLimits(ctx, quotas.values, principal, params.owner, body),
      }),
    }),
    route(contract.dismissDeadLetters, {
      handle: async ({ body }, principal) => ({ body: await dismissByIds(ctx, principal, body.ids) }),
    }),
    route(contract.health, {
      async handle() {
        await checkHealth();
        return { body: { status: 'ok' } };
      },
    }),
  ];
}

/** The params of a single run are part of its row. Beyond the size of a result they count as further starts. */
const startsOf = (params: unknown): number =>
  params === undefined ? 1 : Math.max(1, Math.ceil(jsonBytes(params) / BYTES_PER_START));
const BYTES_PER_START = 4_096;

/** Parses `Prefer` (RFC 7240): comma-separated preferences, each with optional parameters. */
const prefersAsync = (prefer: string | undefined): boolean =>
  /(^|,)\s*respond-async\s*(;|,|$)/i.test(prefer ?? '');
