// The dry run of a request by name, as the API shows it.
import { z } from 'zod';
import { NAMED_JOB_ACTIONS } from '../views/resource-schemas.ts';
import { changeShape } from './change.ts';
import { fieldChangeShape } from './job-differences.ts';

const { version, at, by, what, note } = changeShape.shape;

export const namedJobPlanShape = z
  .strictObject({
    action: z
      .enum(NAMED_JOB_ACTIONS)
      .describe('`replace`: the job cannot be edited, so a new one is created and the old one is cancelled'),
    changes: z.array(fieldChangeShape),
    drift: z
      .array(
        z.strictObject({
          ...{ version, at, by, what, note },
          fields: z.array(z.string()).describe('changed fields'),
        }),
      )
      .optional()
      .describe('changes of the job since the last request by name, newest first'),
  })
  .meta({
    id: 'NamedJobPlan',
    examples: [
      {
        action: 'update',
        changes: [{ path: 'schedule.cron', from: '0 2 * * *', to: '0 3 * * *' }],
      },
    ],
  });

export type NamedJobPlan = z.infer<typeof namedJobPlanShape>;
