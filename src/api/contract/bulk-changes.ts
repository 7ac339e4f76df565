// The operation of the API that changes all jobs that match a filter.
import { z } from 'zod';
import { BULK_ACTIONS, CHANGEABLE } from '../../domain/jobs/bulk-change.ts';
import { noteSchema } from '../../domain/jobs/job-spec.ts';
import { operation } from './endpoint.ts';
import { dryRun, instant, jobFilter } from './request-schemas.ts';
import { bulkShape, matchedShape } from './response-schemas.ts';

/** The fields that narrow a filter. A filter without any of them selects all jobs, also if it has a status. */
const NARROWING = ['tag', 'name', 'namespace', 'task', 'owner'] as const;

const bulkBody = z
  .strictObject({
    action: z.enum(BULK_ACTIONS),
    filter: z
      .strictObject(jobFilter)
      .default({})
      .describe(
        'The jobs to change, with the words of `GET /jobs`. Without `status`: active jobs and jobs whose pause would end earlier for `pause`, paused jobs for `resume`, active and paused jobs for `cancel`.',
      ),
    all: z
      .literal(true)
      .optional()
      .describe(
        'needed if the filter has none of tag, name, namespace, task and owner; refused if it has one',
      ),
    note: noteSchema,
    until: instant.optional().describe('end of the pause, in the future; only with the action `pause`'),
  })
  .superRefine(({ action, filter, all, until }, context) => {
    // with an unknown field, the filter that the caller meant is not known
    if (context.issues.length > 0) return;
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message, input: undefined });
    const given = NARROWING.filter((name) => filter[name] !== undefined);
    if (given.length === 0 && !all)
      refuse(
        ['all'],
        `must be true if the filter has none of ${NARROWING.join(', ')}: all jobs would change`,
      );
    if (given.length > 0 && all)
      refuse(['all'], `must be left out if the filter has ${given.join(' and ')}: only matching jobs change`);
    if (until !== undefined && action !== 'pause')
      refuse(['until'], `is only for the action "pause", got the action "${action}"`);
    if (filter.status && !CHANGEABLE[action].includes(filter.status))
      refuse(
        ['filter', 'status'],
        `must be ${CHANGEABLE[action].map((status) => `"${status}"`).join(' or ')} for the action "${action}", got "${filter.status}"`,
      );
  });

export const bulkChanges = {
  changeJobs: operation({
    id: 'changeJobs',
    service: 'scheduler',
    method: 'POST',
    path: '/jobs/bulk',
    summary: 'Pause, resume or cancel all jobs that match a filter',
    description:
      'A background operation changes the jobs that exist at the time of the request. Jobs that are created later are not changed. `GET /operations/{id}` shows its progress and the jobs that could not be changed, `DELETE /operations/{id}` stops it. Each change is recorded as the change of a single job. With `dryRun=true`, the response says how many jobs would change, and nothing is changed. With `filter.owner`, operators change the jobs of another user.',
    auth: true,
    query: z.strictObject({
      dryRun: dryRun.describe('`true`: count the jobs and change nothing'),
    }),
    body: bulkBody,
    success: {
      status: 202,
      description: 'The operation is accepted.',
      body: bulkShape,
      headers: { location: 'The path of the operation.' },
    },
    alternative: {
      status: 200,
      description: 'With `dryRun=true`: the number of jobs that match.',
      body: matchedShape,
    },
    errors: [403],
  }),
};
