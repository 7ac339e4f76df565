// The live workers, for operators.
import type { Principal } from '../domain/principal.ts';
import { requireOperator } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import type { WorkerRow } from '../store/store.ts';
import { liveSince } from './list-running.ts';

/** Newest first. */
export async function listWorkers(context: Context, who: Principal): Promise<WorkerRow[]> {
  requireOperator(who, '/workers');
  const workers = await context.store.listWorkers(liveSince(context));
  return workers.sort((a, b) => b.startedAt - a.startedAt);
}
