// Dismiss: failed executions leave the list of dead letters. They stay failed, and a retry still runs them again.
import { forEachLimit } from '../concurrency/map-limit.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../scheduling/context.ts';
import { requireRows } from './redrive.ts';

const MAX_CONCURRENT = 16;

/** Throws NotFound unless every execution exists. Executions that are not failed, or no longer failed, stay as they are. */
export async function dismissByIds(
  context: Context,
  who: Principal,
  ids: readonly string[],
): Promise<{ dismissed: number }> {
  const rows = await requireRows(context, who, ids);
  let dismissed = 0;
  await forEachLimit(
    rows.filter(({ status, dismissed }) => status === 'FAILED' && !dismissed),
    MAX_CONCURRENT,
    async (row) => {
      // false: a retry was faster, and the execution is not failed any more
      if (await context.store.dismissRow(row)) dismissed++;
    },
  );
  return { dismissed };
}
