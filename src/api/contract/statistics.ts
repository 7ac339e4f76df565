// The operations of the API on the counts of executions.
import { z } from 'zod';
import { executionSummaryShape, statisticsShape } from '../../domain/views/statistics-views.ts';
import { MAX_BUCKETS } from '../../queries/get-statistics.ts';
import { MAX_SUMMARIZED } from '../../queries/summarize-executions.ts';
import { BUCKETS, type BucketLength } from '../../telemetry/statistics.ts';
import { operation } from './endpoint.ts';
import { instant, owner } from './request-schemas.ts';

const lengths = Object.keys(BUCKETS) as [BucketLength, ...BucketLength[]];

export const statistics = {
  getStatistics: operation({
    id: 'getStatistics',
    service: 'query',
    method: 'GET',
    path: '/stats',
    summary: 'Get the counts and the lateness of all executions over time (operators only)',
    description: `The numbers are those that workers report as metrics. On AWS they come from CloudWatch and are up to two minutes behind. A local server has those of the last 24 hours since its start. A response has at most ${MAX_BUCKETS} buckets.`,
    auth: true,
    query: z.strictObject({
      from: instant.optional().describe('start of the range; default: an hour before `to`'),
      to: instant.optional().describe('end of the range; default and maximum: now'),
      bucket: z
        .enum(lengths)
        .optional()
        .describe('length of a bucket; default: the shortest with at most 200 buckets'),
    }),
    success: { status: 200, description: 'The statistics.', body: statisticsShape },
    errors: [403, 501],
  }),
  summarizeExecutions: operation({
    id: 'summarizeExecutions',
    service: 'query',
    method: 'GET',
    path: '/executions/summary',
    summary: 'Summarize your executions: counts by status, lateness and the three latest',
    description: `Reads the newest ${MAX_SUMMARIZED} executions of the range. If there are more, \`truncated\` is true. As in \`GET /executions\`, an execution in its first attempt is counted when the attempt ends.`,
    auth: true,
    query: z.strictObject({
      from: instant.optional().describe('first due time; default: 24 hours before `to`'),
      to: instant.optional().describe('due before this time; default: now'),
      owner,
    }),
    success: { status: 200, description: 'The summary.', body: executionSummaryShape },
    errors: [403],
  }),
};
