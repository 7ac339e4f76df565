// The live workers, for operators.
import type { Principal } from '../domain/principal.ts';
import type { WorkerRow } from '../store/store.ts';
import type { Context } from './context.ts';
import { operatorsOnly } from './owned.ts';
import { liveSince } from './running.ts';

/** Newest first. */
export async function listWorkers(context: Context, who: Principal): Promise<WorkerRow[]> {
  operatorsOnly(who, '/workers');
  const workers = await context.store.listWorkers(liveSince(context));
  return workers.sort((a, b) => b.startedAt - a.startedAt);
}
