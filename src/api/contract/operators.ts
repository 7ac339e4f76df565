// The operations of the API that show the state of the deployment to operators.
import { z } from 'zod';
import { isoTime } from '../../domain/views/resource-schemas.ts';
import { operation } from './endpoint.ts';

const seconds = z.int().min(0);

export const systemShape = z
  .strictObject({
    version: z.string().describe('version of Punctual of this API'),
    engine: z
      .enum(['embedded', 'aws'])
      .describe('`embedded`: one process with SQLite. `aws`: DynamoDB and SQS'),
    readAt: isoTime.describe('time of this state, which is cached for 5 seconds'),
    horizon: isoTime.describe('executions that are due before this time should have been sent to the queue'),
    lookAheadSeconds: z
      .number()
      .min(0)
      .describe('how long before their due time executions are sent to the queue'),
    dispatchLagSeconds: seconds
      .optional()
      .describe('of the slowest shard; absent if no watcher has come yet'),
    settleLagSeconds: seconds.optional().describe('of the slowest shard; absent if no watcher has come yet'),
    shardCount: z.int().min(1),
    shards: z.array(
      z.strictObject({
        shard: z.int().min(0),
        dispatchedUntil: isoTime
          .optional()
          .describe(
            'executions that are due before this time were sent to the queue; absent if no watcher has come yet',
          ),
        settledUntil: isoTime
          .optional()
          .describe(
            'executions that were due before this time were checked; absent if no watcher has come yet',
          ),
        dispatchLagSeconds: seconds
          .optional()
          .describe(
            'how far `dispatchedUntil` is behind `horizon`; up to 60 between two passes of the watcher',
          ),
        settleLagSeconds: seconds
          .optional()
          .describe(
            'how far `settledUntil` is behind its target; up to 60 between two passes of the watcher',
          ),
      }),
    ),
  })
  .meta({ id: 'System' });

export type SystemView = z.infer<typeof systemShape>;

/** Entries of the timetable that one forecast reads at most. About 1,600 RRU. */
export const MAX_FORECAST = 100_000;

export const forecastShape = z
  .strictObject({
    countedAt: isoTime.describe('time of the count, which is cached for 10 seconds'),
    items: z
      .array(
        z.strictObject({
          at: isoTime.describe('start of the minute'),
          due: z.int().min(0).describe('number of executions due in this minute'),
        }),
      )
      .describe('each minute up to the horizon; the first is the current one, which is partly over'),
    busiestSecond: z.int().min(0).describe('number of executions due in the busiest second'),
    truncated: z
      .boolean()
      .describe(
        `there are more than ${MAX_FORECAST} entries; later minutes are counted in part or not at all`,
      ),
  })
  .meta({ id: 'Forecast' });

export type ForecastView = z.infer<typeof forecastShape>;

export const operators = {
  getForecast: operation({
    id: 'getForecast',
    service: 'query',
    method: 'GET',
    path: '/forecast',
    summary: 'Count the executions of all users that are due in the next minutes (operators only)',
    description:
      'Users who are not operators get 403. The count is that of the entries in the timetable, which is complete up to the horizon. An entry of a job that was paused or edited since is counted, too.',
    auth: true,
    success: { status: 200, description: 'The forecast.', body: forecastShape },
    errors: [403],
  }),
  getSystem: operation({
    id: 'getSystem',
    service: 'query',
    method: 'GET',
    path: '/system',
    summary:
      'Get the state of the deployment: version, engine and the cursors of the shards (operators only)',
    description:
      'Users who are not operators get 403. A growing `dispatchLagSeconds` means that the watcher does not run or is too slow, and executions start late.',
    auth: true,
    success: { status: 200, description: 'The state.', body: systemShape },
    errors: [403],
  }),
};
