// The routes of the query service: the operations that read.
import { z } from 'zod';
import { NO_LIMITS, type OwnerLimits } from '../../domain/jobs/owner-limits.ts';
import { describeSchedule } from '../../domain/schedule/describe.ts';
import { isoUtc } from '../../domain/schedule/instant.ts';
import type { Preview, PreviewOptions } from '../../domain/schedule/preview.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import { scheduleWarnings } from '../../domain/schedule/warnings.ts';
import { getOperation } from '../../jobs/operations/operation-requests.ts';
import { explain } from '../../queries/explain/explain.ts';
import { getExecution } from '../../queries/get-execution.ts';
import { getJob, getNamedJob } from '../../queries/get-job.ts';
import { getLimits } from '../../queries/get-limits.ts';
import { getStatistics } from '../../queries/get-statistics.ts';
import { groupDeadLetters } from '../../queries/group-dead-letters.ts';
import { listChanges } from '../../queries/list-changes.ts';
import { listDeadLetters } from '../../queries/list-dead-letters.ts';
import { listExecutions } from '../../queries/list-executions.ts';
import { listJobExecutions } from '../../queries/list-job-executions.ts';
import { listJobs } from '../../queries/list-jobs.ts';
import { listLogLines } from '../../queries/list-log-lines.ts';
import { summarizeExecutions } from '../../queries/summarize-executions.ts';
import type { Context } from '../../scheduling/context.ts';
import { inSearchParts, occurrencesInParts } from '../../scheduling/searches.ts';
import type { Tasks } from '../../tasks/task.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { contract } from '../contract/contract.ts';
import type { TaskView } from '../contract/response-schemas.ts';
import { withETag, withNamedETag } from '../http/etag.ts';
import { type Route, route } from '../http/route.ts';
import { operatorRoutes } from './operator-routes.ts';

export function queryRoutes(
  ctx: Context,
  tasks: Tasks,
  limits: OwnerLimits = NO_LIMITS,
  telemetry: Telemetry = {},
): Route[] {
  let taskViews: TaskView[] | undefined;
  return [
    route(contract.listJobs, {
      handle: async ({ query }, principal) => ({ body: await listJobs(ctx, principal, query) }),
    }),
    route(contract.getJob, {
      handle: async ({ params }, principal) => withETag(await getJob(ctx, principal, params.id)),
    }),
    route(contract.getNamedJob, {
      handle: async ({ params }, principal) => withNamedETag(await getNamedJob(ctx, principal, params)),
    }),
    route(contract.listChanges, {
      handle: async ({ params, query }, principal) => ({
        body: await listChanges(ctx, principal, params.id, query),
      }),
    }),
    route(contract.explainJob, {
      handle: async ({ params, query }, principal) => ({
        body: await explain(ctx, principal, params.id, query.at),
      }),
    }),
    route(contract.listJobExecutions, {
      handle: async ({ params, query }, principal) => ({
        body: await listJobExecutions(ctx, principal, params.id, query),
      }),
    }),
    route(contract.listExecutions, {
      handle: async ({ query }, principal) => ({ body: await listExecutions(ctx, principal, query) }),
    }),
    route(contract.summarizeExecutions, {
      handle: async ({ query }, principal) => ({ body: await summarizeExecutions(ctx, principal, query) }),
    }),
    route(contract.getStatistics, {
      handle: async ({ query }, principal) => ({
        body: await getStatistics(ctx, telemetry, principal, query),
      }),
    }),
    route(contract.getExecution, {
      handle: async ({ params }, principal) => ({ body: await getExecution(ctx, principal, params.id) }),
    }),
    route(contract.listLogLines, {
      handle: async ({ params, query }, principal) => ({
        body: await listLogLines(ctx, telemetry, principal, params.id, query),
      }),
    }),
    route(contract.getOperation, {
      handle: async ({ params }, principal) => ({ body: await getOperation(ctx, principal, params.id) }),
    }),
    route(contract.previewSchedule, {
      async handle({ body: { schedule, count, after } }) {
        const now = ctx.clock.now();
        const resolved = resolveSchedule(schedule, now);
        return { body: await preview(ctx, resolved, { count, after, now }) };
      },
    }),
    route(contract.listTasks, {
      async handle() {
        taskViews ??= viewsOf(tasks);
        return { body: { items: taskViews } };
      },
    }),
    route(contract.listDeadLetters, {
      handle: async ({ query }, principal) => ({ body: await listDeadLetters(ctx, principal, query) }),
    }),
    route(contract.groupDeadLetters, {
      handle: async ({ query }, principal) => ({ body: await groupDeadLetters(ctx, principal, query) }),
    }),
    route(contract.getLimits, {
      handle: async ({ params }, principal) => ({
        body: await getLimits(ctx, limits, principal, params.owner),
      }),
    }),
    ...operatorRoutes(ctx),
  ];
}

/** As `previewSchedule`, in slices. Throws SearchEnded if the budget does not suffice for the times. */
async function preview(
  ctx: Context,
  schedule: Schedule,
  { count, after, now }: PreviewOptions,
): Promise<Preview> {
  const fireTimes: string[] = [];
  for await (const due of occurrencesInParts(ctx, schedule, after ?? now - 1)) {
    fireTimes.push(isoUtc(due));
    if (fireTimes.length === count) break;
  }
  const warnings = await inSearchParts(ctx, (searches) => scheduleWarnings(schedule, now, searches));
  return { fireTimes, description: describeSchedule(schedule), warnings };
}

const viewsOf = (tasks: Tasks): TaskView[] =>
  [...tasks.values()]
    .filter(({ unavailable }) => unavailable === undefined)
    .map(({ name, description, params }) => {
      const { $schema: _, ...schema } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });
      return { name, description, params: schema };
    });
