// The four tables. Local mode creates its tables from the same schema.
import { RemovalPolicy } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import {
  TABLES,
  type TableName,
  type TableSchema,
  TTL_ATTRIBUTE,
} from '../../src/store/dynamodb/table-schemas.ts';
import type { DeploymentSettings } from '../settings/settings.ts';

export interface StorageProps {
  /** The prefix of the names of tables. */
  readonly prefix: string;
  /** Uses the settings of tables: capacity, Contributor Insights and removal policy. */
  readonly settings: DeploymentSettings;
  /**
   * The key that encrypts the tables.
   * @default - a key that AWS owns
   */
  readonly encryptionKey?: IKey;
}

/** DynamoDB's ratio for a new on-demand table. A read unit costs a fifth of a write unit. */
const READS_PER_WRITE = 3;
const TARGET_UTILIZATION_PERCENT = 70;

export class Storage extends Construct {
  readonly tables: Readonly<Record<TableName, Table>>;

  constructor(scope: Construct, id: string, props: StorageProps) {
    super(scope, id);
    this.tables = Object.fromEntries(
      TABLES.map((schema) => [schema.name, this.#table(schema, props)]),
    ) as Record<TableName, Table>;
  }

  #table(schema: TableSchema, { prefix, settings, encryptionKey }: StorageProps): Table {
    const provisioned = settings.capacity === 'provisioned';
    const capacity = provisioned
      ? { readCapacity: settings.minCapacity, writeCapacity: settings.minCapacity }
      : {};
    const warmThroughput = settings.warmWritesPerSecond
      ? {
          writeUnitsPerSecond: settings.warmWritesPerSecond,
          readUnitsPerSecond: Math.min(
            settings.warmWritesPerSecond * READS_PER_WRITE,
            settings.tableQuotaPerSecond,
          ),
        }
      : undefined;
    // The table has an item for each shard and worker: some hundred items at any load.
    const isSmall = schema.name === 'control';
    const table = new Table(this, schema.name, {
      tableName: `${prefix}${schema.name}`,
      partitionKey: text(schema.partitionKey),
      sortKey: schema.sortKey === undefined ? undefined : text(schema.sortKey),
      timeToLiveAttribute: TTL_ATTRIBUTE,
      billingMode: provisioned ? BillingMode.PROVISIONED : BillingMode.PAY_PER_REQUEST,
      ...capacity,
      warmThroughput: isSmall ? undefined : warmThroughput,
      encryption: encryptionKey ? TableEncryption.CUSTOMER_MANAGED : TableEncryption.DEFAULT,
      encryptionKey,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      contributorInsightsSpecification: { enabled: settings.contributorInsights },
      deletionProtection: settings.removalPolicy === 'retain',
      removalPolicy: settings.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const index of schema.indexes) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        projectionType: index.include.length === 0 ? ProjectionType.KEYS_ONLY : ProjectionType.INCLUDE,
        nonKeyAttributes: index.include.length === 0 ? undefined : [...index.include],
        ...capacity,
        warmThroughput,
        contributorInsightsSpecification: { enabled: settings.contributorInsights },
      });
    }
    if (provisioned) scale(table, schema, settings);
    return table;
  }
}

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/** A throttled index throttles writes of its table, so indexes are scaled too. */
function scale(table: Table, schema: TableSchema, settings: DeploymentSettings): void {
  const limits = { minCapacity: settings.minCapacity, maxCapacity: settings.maxCapacity };
  const target = { targetUtilizationPercent: TARGET_UTILIZATION_PERCENT };
  table.autoScaleReadCapacity(limits).scaleOnUtilization(target);
  table.autoScaleWriteCapacity(limits).scaleOnUtilization(target);
  for (const { name } of schema.indexes) {
    table.autoScaleGlobalSecondaryIndexReadCapacity(name, limits).scaleOnUtilization(target);
    table.autoScaleGlobalSecondaryIndexWriteCapacity(name, limits).scaleOnUtilization(target);
  }
}
