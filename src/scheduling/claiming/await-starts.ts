// When a change of a job returns: after every claim that was on its way has started, or can no longer start
// (docs/protocol.md#changes).
import type { Row } from '../../domain/executions/row.ts';
import { isLockOf } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';

/** Waits for claims of the job that may be about to start. The change has raised the version, so no further claim gets the lock. */
export async function awaitStarts(context: Context, jobId: string): Promise<void> {
  const { store, clock, settings, claims } = context;
  if (claims) return claims.settled(jobId);
  const head = await store.readHead(jobId, { consistent: true });
  // [rule allow-waits]
  if (head?.overlap === 'allow') return clock.sleep(settings.startWindowMs);
  const row =
    head?.lock && (await store.readRow(jobId, head.lock.due, { consistent: /* [rule look-sure] */ true }));
  // [rule change-waits]
  if (row && head && isLockOf(head, row)) await awaitStart(context, row);
}

/** Waits for the claim of a row that may be about to start. */
export async function awaitStart(context: Context, row: Row): Promise<void> {
  const { clock, claims, settings } = context;
  if (row.status !== 'RUNNING') return;
  if (claims) return claims.settled(row.jobId);
  // the start of the worker's clock may be off by clockSkewMs
  const openFor = clock.now() - (row.startedAt ?? 0) - settings.clockSkewMs;
  if (openFor < settings.startWindowMs) await clock.sleep(settings.startWindowMs);
}
