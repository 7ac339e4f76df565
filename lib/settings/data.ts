// The settings of the tables, and of what is kept in them.
import { z } from 'zod';
import { count } from './shapes.ts';

export const data = {
  /**
   * Ended executions are kept this long.
   * @default 90
   */
  retentionDays: count(1, 3650).default(90),
  /**
   * `onDemand`: per request, with the tables warmed for `warmWritesPerSecond`. `provisioned`: by the hour, between
   * `minCapacity` and `maxCapacity`, half the price under a steady load.
   * @default 'onDemand'
   */
  capacity: z.literal(['onDemand', 'provisioned']).default('onDemand'),
  /**
   * On demand: the writes per second that each table and index is warmed for. Reads are warmed for three times as many, up
   * to `tableQuotaPerSecond`. Charged once, can only be raised. DynamoDB starts every table at 4,000.
   * @default - as DynamoDB starts them
   */
  warmWritesPerSecond: count(4_000, 1_000_000).optional(),
  /**
   * The account's quotas "table-level read throughput limit" and "table-level write throughput limit", the lower of the two.
   * DynamoDB refuses a table that is warmed or provisioned for more. Raise it after AWS has raised the quotas.
   * @default 40000
   */
  tableQuotaPerSecond: count(4_000, 10_000_000).default(40_000),
  /**
   * Provisioned: the units that each table and index has at least, for reads and for writes.
   * @default 25
   */
  minCapacity: count(1, 40_000).default(25),
  /**
   * Provisioned: the units that each table and index has at most.
   * @default 4000
   */
  maxCapacity: count(1, 1_000_000).default(4000),
  /**
   * Whether reads and writes of single items that come together go as one request: less CPU per execution, the same
   * units. Switch it off if DynamoDB should refuse such requests.
   * @default true
   */
  groupCommit: z.boolean().default(true),
  /**
   * A customer managed key for tables, queues, log groups and the alarm topic, instead of keys that AWS owns.
   * @default - keys that AWS owns
   */
  kmsKeyArn: z
    .string()
    .regex(/^arn:[\w-]+:kms:[^:]*:\d*:key\//, {
      error: 'must be the ARN of a key (…:key/…), not of an alias',
    })
    .optional(),
  /**
   * Which keys are hot, per table; costs as the requests do.
   * @default false
   */
  contributorInsights: z.boolean().default(false),
  /**
   * What happens to tables, and to what they say, when the stack is deleted: `retain` keeps them and protects them from
   * deletion.
   * @default 'retain'
   */
  removalPolicy: z.literal(['retain', 'destroy']).default('retain'),
};
