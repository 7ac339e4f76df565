// The routes that change jobs by their names.
import { InvalidInput } from '../../domain/errors.ts';
import type { JobName } from '../../domain/jobs/job-name.ts';
import type { ChangedJob } from '../../jobs/edit-job.ts';
import type { Quotas } from '../../jobs/enforce-quotas.ts';
import { cancelNamedJob } from '../../jobs/named/cancel-named-job.ts';
import { planNamedJob } from '../../jobs/named/plan-named-job.ts';
import { putNamedJob } from '../../jobs/named/put-named-job.ts';
import type { Context } from '../../scheduling/context.ts';
import { contract } from '../contract/contract.ts';
import { withNamedVersion } from '../http/etag.ts';
import { type Route, route } from '../http/route.ts';
import { type JobRules, parseNamedJob } from './job-input.ts';

export function namedJobRoutes(
  ctx: Context,
  rules: JobRules,
  quotas: Quotas,
  checkChanged: (userId: string, changed: Omit<ChangedJob, 'bytes'>) => Promise<void>,
): Route[] {
  return [
    route(contract.putNamedJob, {
      body: (input) => parseNamedJob(rules, input),
      async handle({ params, query, headers, body }, principal) {
        const { paused, note, ...spec } = body;
        refuseOtherName(params, spec.name);
        const wanted = { spec: { ...spec, name: params.name }, paused };
        const options = {
          ifMatch: headers['if-match'],
          note,
          checkLimits: (changed: Omit<ChangedJob, 'bytes'>) => checkChanged(principal.userId, changed),
          takeBytes: quotas.takeBytes,
          async takeQuota(replaces: boolean, bytes: number) {
            await quotas.takeCreate(principal.userId);
            await (replaces ? quotas.takeBytes : quotas.takeJob)(principal.userId, bytes);
          },
        };
        if (query.dryRun === 'true')
          return { body: await planNamedJob(ctx, principal, params, wanted, options) };
        const { action, job } = await putNamedJob(ctx, principal, params, wanted, options);
        const isNew = action === 'create' || action === 'replace';
        return {
          ...withNamedVersion({ ...job, action }, isNew ? { location: `/jobs/${job.id}` } : {}),
          ...(isNew && { alternative: true as const }),
        };
      },
    }),
    route(contract.cancelNamedJob, {
      async handle({ params, query, headers }, principal) {
        await cancelNamedJob(ctx, principal, params, { note: query.note, ifMatch: headers['if-match'] });
        return {};
      },
    }),
  ];
}

function refuseOtherName({ name }: JobName, given: string | undefined): void {
  if (given === undefined || given === name) return;
  throw new InvalidInput([
    {
      path: 'name',
      message: `must be the name in the path, ${JSON.stringify(name)}, or absent; got ${JSON.stringify(given)}`,
    },
  ]);
}
