// The counts of executions over time, and the summary of a user's executions, as the API shows them.
import { z } from 'zod';
import { isoTime } from './resource-schemas.ts';

const latenessShape = z
  .strictObject({ p50: z.number(), p99: z.number() })
  .optional()
  .describe('start minus fire time of first attempts in milliseconds; absent if none started');

const count = z.int().min(0);

export const statisticsShape = z
  .strictObject({
    from: isoTime.describe('start of the first bucket'),
    to: isoTime.describe('end of the last bucket'),
    bucket: z.string().describe('length of a bucket as an ISO 8601 duration'),
    since: isoTime.describe(
      'nothing is known of the time before: the start of a local server, or the time that CloudWatch keeps',
    ),
    items: z
      .array(
        z.strictObject({
          at: isoTime.describe('start of the bucket'),
          started: count.describe('first attempts, counted when they end'),
          succeeded: count,
          failed: count,
          skipped: count,
          cancelled: count,
          retried: count.describe('attempts that failed and are followed by another one'),
          running: z
            .number()
            .min(0)
            .optional()
            .describe('average number of running executions; absent if no worker reported it'),
          latenessMs: latenessShape,
        }),
      )
      .describe('oldest first, without gaps'),
  })
  .meta({
    id: 'Statistics',
    examples: [
      {
        from: '2026-12-01T10:00:00.000Z',
        to: '2026-12-01T10:01:00.000Z',
        bucket: 'PT1M',
        since: '2026-11-30T10:00:41.120Z',
        items: [
          {
            at: '2026-12-01T10:00:00.000Z',
            ...{ started: 120, succeeded: 118, failed: 1, skipped: 0, cancelled: 1, retried: 2 },
            ...{ running: 4.5, latenessMs: { p50: 3, p99: 11 } },
          },
        ],
      },
    ],
  });

export type StatisticsView = z.infer<typeof statisticsShape>;

export const executionSummaryShape = z
  .strictObject({
    from: isoTime,
    to: isoTime,
    counts: z.strictObject({
      queued: count,
      running: count,
      retrying: count,
      succeeded: count,
      failed: count,
      skipped: count,
      cancelled: count,
    }),
    latenessMs: latenessShape,
    worst: z
      .array(
        z.strictObject({
          id: z.string().describe('execution id'),
          jobId: z.string(),
          status: z.string(),
          dueAt: isoTime,
          latenessMs: z.number(),
        }),
      )
      .describe('the three executions with the highest lateness, the highest first'),
    lookedAt: count.describe('number of executions that were read'),
    truncated: z
      .boolean()
      .describe('there are more executions in the range, which are older; narrow `from` and `to`'),
  })
  .meta({ id: 'ExecutionSummary' });

export type ExecutionSummary = z.infer<typeof executionSummaryShape>;
