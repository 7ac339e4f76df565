// Reads a range of sort keys of one partition. A key condition has one comparison, and BETWEEN includes both ends. An excluded
// end is read and dropped.
import type { Item } from '../items.ts';
import type { Database } from './database.ts';
import type { On } from './item-calls.ts';

export interface Range {
  readonly index?: string;
  readonly partitionKey: string;
  readonly partition: string;
  readonly sortKey: string;
  /** The first key, inclusive. */
  readonly from?: string;
  /** Exclusive lower bound. */
  readonly after?: string;
  /** Exclusive upper bound. */
  readonly before?: string;
  readonly newestFirst: boolean;
  readonly consistent: boolean;
}

/** At most `count` items, and at least one if there are any. `more`: the range has others. */
export async function readRange(
  db: Database,
  on: On,
  range: Range,
  count: number,
): Promise<{ items: Item[]; more: boolean }> {
  const { after, before } = range;
  const lower = after !== undefined && after >= (range.from ?? '') ? after : range.from;
  if (lower !== undefined && before !== undefined && lower >= before) return { items: [], more: false };
  // a condition with `>=` or BETWEEN includes an excluded end
  const ends =
    Number(lower !== undefined && lower === after) + Number(lower !== undefined && before !== undefined);
  const items: Item[] = [];
  let last: Item | undefined;
  do {
    const page = await db.query(on, {
      IndexName: range.index,
      ...condition(range, lower, before),
      ScanIndexForward: !range.newestFirst,
      ConsistentRead: range.consistent || undefined,
      Limit: count + ends + 1, // one more shows whether there are others
      ExclusiveStartKey: last,
    });
    items.push(...page.items.filter((i) => i[range.sortKey] !== after && i[range.sortKey] !== before));
    last = page.last;
  } while (items.length === 0 && last);
  return { items: items.slice(0, count), more: items.length > count || last !== undefined };
}

function condition(
  { partitionKey, partition, sortKey }: Range,
  lower: string | undefined,
  upper: string | undefined,
) {
  const both = lower !== undefined && upper !== undefined;
  const comparison = both
    ? '#sort BETWEEN :lower AND :upper'
    : upper !== undefined
      ? '#sort < :upper'
      : lower !== undefined
        ? '#sort >= :lower'
        : undefined;
  return {
    KeyConditionExpression: ['#partition = :partition', comparison].filter(Boolean).join(' AND '),
    ExpressionAttributeNames: { '#partition': partitionKey, ...(comparison && { '#sort': sortKey }) },
    // the client leaves out undefined values
    ExpressionAttributeValues: { ':partition': partition, ':lower': lower, ':upper': upper },
  };
}
