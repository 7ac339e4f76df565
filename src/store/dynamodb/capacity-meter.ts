// Reports the capacity that each call consumed, by operation and table.
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { On } from './item-calls.ts';

/** Called with the consumed capacity of each request. `table` is `jobs`, or `jobs.byUser` for an index. */
export type Meter = (operation: string, table: string, units: { read: number; write: number }) => void;

export type Measure = ReturnType<typeof measuring>;

export function measuring(meter: Meter | undefined) {
  function measure(on: On, kind: 'read' | 'write', consumed: ConsumedCapacity | undefined): void {
    if (!meter || !consumed) return;
    const units = (capacity: number | undefined) => ({ read: 0, write: 0, [kind]: capacity ?? 0 });
    const indexes = Object.entries(consumed.GlobalSecondaryIndexes ?? {});
    meter(on.operation, on.table, units(consumed.Table?.CapacityUnits ?? consumed.CapacityUnits));
    for (const [index, used] of indexes)
      meter(on.operation, `${on.table}.${index}`, units(used.CapacityUnits));
  }

  /** A refused write is billed, but its response has no capacity. Below 1 KB it is 1 WRU. */
  const measureRefused = (on: On) => meter?.(on.operation, on.table, { read: 0, write: 1 });

  return { measure, measureRefused, ReturnConsumedCapacity: meter && ('INDEXES' as const) };
}
