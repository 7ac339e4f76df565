// The settings of the tables and of their data.
import { z } from 'zod';
import { INDEX_PARTITIONS, MAX_INDEX_PARTITIONS } from '../../src/store/user-index.ts';
import { count } from './shapes.ts';

export const data = {
  retentionDays: count(1, 3650).default(90),
  capacity: z.literal(['onDemand', 'provisioned']).default('onDemand'),
  warmWritesPerSecond: count(4_000, 1_000_000).optional(),
  tableQuotaPerSecond: count(4_000, 10_000_000).default(40_000),
  minCapacity: count(1, 40_000).default(25),
  maxCapacity: count(1, 1_000_000).default(4000),
  indexPartitions: count(INDEX_PARTITIONS, MAX_INDEX_PARTITIONS).default(INDEX_PARTITIONS),
  indexPartitionsWritten: count(INDEX_PARTITIONS, MAX_INDEX_PARTITIONS).default(INDEX_PARTITIONS),
  groupCommit: z.boolean().default(true),
  kmsKeyArn: z
    .string()
    .regex(/^arn:[\w-]+:kms:[^:]*:\d*:key\//, {
      error: 'must be the ARN of a key (…:key/…), not of an alias',
    })
    .optional(),
  contributorInsights: z.boolean().default(false),
  removalPolicy: z.literal(['retain', 'destroy']).default('retain'),
};
