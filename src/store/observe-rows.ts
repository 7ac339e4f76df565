// Observes the writes of rows. Notifications, metrics and traces of executions are derived from them.
import type { Row, RowSeen } from '../domain/executions/row.ts';
import type { Store } from './store.ts';

export interface RowObserver {
  /** Called before a row is written. The write waits for it. `seen` is the row before, and undefined for an insert. */
  before?(row: Row, seen: RowSeen | undefined): Promise<void>;
  /** Called after a row was written, and not if the write was refused. */
  after?(row: Row, seen: RowSeen | undefined): Promise<void> | void;
}

/** A store whose writes of rows call the observer. */
export function observeRows(store: Store, { before, after }: RowObserver): Store {
  const observed = async (row: Row, seen: RowSeen | undefined, write: () => Promise<boolean>) => {
    if (before) await before(row, seen);
    const written = await write();
    if (written) await after?.(row, seen);
    return written;
  };
  return {
    ...store,
    insertRow: (row) => observed(row, undefined, () => store.insertRow(row)),
    updateRow: (seen, row) => observed(row, seen, () => store.updateRow(seen, row)),
  };
}
