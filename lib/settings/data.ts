// The settings of the tables and of their data.
import { z } from 'zod';
import { count } from './shapes.ts';

export const data = {
  /**
   * The retention of ended executions, in days.
   * @default 90
   */
  retentionDays: count(1, 3650).default(90),
  /**
   * The billing of tables. `onDemand` is billed per request, with tables warmed for `warmWritesPerSecond`. `provisioned` is
   * billed per hour between `minCapacity` and `maxCapacity`, and costs half as much under a steady load.
   * @default 'onDemand'
   */
  capacity: z.literal(['onDemand', 'provisioned']).default('onDemand'),
  /**
   * With `onDemand`, the writes per second that each table and index is warmed for. Reads are warmed for three times as
   * many, up to `tableQuotaPerSecond`. The charge is one-time, and the value can only be raised.
   * @default - 4,000, DynamoDB's value for a new table
   */
  warmWritesPerSecond: count(4_000, 1_000_000).optional(),
  /**
   * The lower of the account's quotas "table-level read throughput limit" and "table-level write throughput limit".
   * DynamoDB rejects a table that is warmed or provisioned for more. Raise it after AWS has raised the quotas.
   * @default 40000
   */
  tableQuotaPerSecond: count(4_000, 10_000_000).default(40_000),
  /**
   * With `provisioned`, the minimum number of read and of write units of each table and index.
   * @default 25
   */
  minCapacity: count(1, 40_000).default(25),
  /**
   * With `provisioned`, the maximum number of read and of write units of each table and index.
   * @default 4000
   */
  maxCapacity: count(1, 1_000_000).default(4000),
  /**
   * Group commit: single-item reads and writes that arrive together are sent as one request. It saves CPU and uses the
   * same units. Turn it off if DynamoDB rejects such requests.
   * @default true
   */
  groupCommit: z.boolean().default(true),
  /**
   * A customer managed KMS key for tables, queues, log groups and the alarm topic.
   * @default - keys that AWS owns
   */
  kmsKeyArn: z
    .string()
    .regex(/^arn:[\w-]+:kms:[^:]*:\d*:key\//, {
      error: 'must be the ARN of a key (…:key/…), not of an alias',
    })
    .optional(),
  /**
   * DynamoDB Contributor Insights, which shows the hottest keys of each table. It is billed per request.
   * @default false
   */
  contributorInsights: z.boolean().default(false),
  /**
   * The removal policy of tables, user pool, log groups and the scripts' bucket. `retain` keeps them when the stack is
   * deleted, and protects tables and user pool from deletion.
   * @default 'retain'
   */
  removalPolicy: z.literal(['retain', 'destroy']).default('retain'),
};
