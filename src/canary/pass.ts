// One pass of the canary. It creates a job that is due in the middle of the next minute. It checks that the job of the minute before the
// current one has run. A pass keeps no state, because the current minute says which jobs it is about.
import type { Execution, PunctualClient } from '../client/client.ts';
import { MINUTE, minuteOf, minuteStart } from '../domain/executions/slots.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Log } from '../scheduling/context.ts';

export interface PassParts {
  readonly client: PunctualClient;
  readonly metrics: Pick<Metrics, 'add'>;
  readonly log: Log;
}

export interface Pass {
  /** True if a job could be created, and the job of the minute before the current one has run. */
  readonly succeeded: boolean;
  /** The lateness of that job. Undefined if it has not run. */
  readonly latenessMs?: number;
}

/** EventBridge invokes the canary at any time within a minute. A job is due 30 to 90 s after the pass that creates it. */
const dueIn = (minute: number): string => new Date(minuteStart(minute) + MINUTE / 2).toISOString();

export async function runPass({ client, metrics, log }: PassParts, now: number): Promise<Pass> {
  const minute = minuteOf(now);
  const [created, checked] = await Promise.allSettled([
    createJob(client, dueIn(minute + 1)),
    findExecution(client, dueIn(minute - 1)),
  ]);
  if (created.status === 'rejected')
    log.error('canary failed to create a job', { dueAt: dueIn(minute + 1), error: created.reason });
  if (checked.status === 'rejected')
    log.error('canary failed to list its executions', { dueAt: dueIn(minute - 1), error: checked.reason });
  const execution = checked.status === 'fulfilled' ? checked.value : undefined;
  const hasRun = execution?.status === 'succeeded';
  if (checked.status === 'fulfilled' && !hasRun)
    log.error('job of the canary has not run', { dueAt: dueIn(minute - 1), execution });
  const pass: Pass = {
    succeeded: created.status === 'fulfilled' && hasRun,
    ...(hasRun && execution.latenessMs !== undefined && { latenessMs: execution.latenessMs }),
  };
  metrics.add('CanarySucceeded', pass.succeeded ? 1 : 0);
  if (pass.latenessMs !== undefined) metrics.add('CanaryLateness', pass.latenessMs);
  return pass;
}

/** EventBridge sometimes invokes twice in a minute. The second pass gets the job of the first one. */
const createJob = (client: PunctualClient, dueAt: string) =>
  client.jobs.create(
    { name: 'canary', task: 'noop', schedule: { at: dueAt } },
    { idempotencyKey: `canary-${dueAt}` },
  );

/** The execution of the job. The canary is a user of its own and has no other jobs. Undefined if there is none. */
async function findExecution(client: PunctualClient, dueAt: string): Promise<Execution | undefined> {
  const to = new Date(Date.parse(dueAt) + 1000).toISOString();
  const { items } = await client.executions.list({ from: dueAt, to, limit: 10 }).page();
  return items.find((execution) => execution.dueAt === dueAt);
}
