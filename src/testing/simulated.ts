// The result of a simulation: what ran, when, how often and with which outcome. Jobs and executions are as the API shows them.
import { asUser } from '../domain/principal.ts';
import type { ExecutionView, JobView } from '../domain/views/resource-schemas.ts';
import { executionOfRow } from '../domain/views/views.ts';
import { getJob } from '../queries/get-job.ts';
import { listPending } from '../queries/planned-executions.ts';
import type { Context } from '../scheduling/context.ts';
import type { MemoryStore } from '../store/memory/memory-store.ts';

export interface SimulatedExecution extends ExecutionView {
  /** The name of the job. Absent if the job has none. */
  readonly job?: string;
}

export interface Simulated {
  /** All executions that were due before the end of the simulation, by due time. */
  readonly executions: readonly SimulatedExecution[];
  /** The jobs at the end of the simulation, in the order given. */
  readonly jobs: readonly JobView[];
  /** The executions of one job, by its name or id. Throws if there is no such job. */
  of(job: string): SimulatedExecution[];
}

export async function resultOf(
  context: Context,
  store: MemoryStore,
  created: readonly JobView[],
): Promise<Simulated> {
  const names = new Map(created.map(({ id, name }) => [id, name]));
  const pending = await Promise.all(store.heads.all().map((head) => listPending(context, head)));
  const isDue = ({ status }: ExecutionView) => status !== 'scheduled';
  const executions = [...store.rows.all().map(executionOfRow), ...pending.flat().filter(isDue)]
    .map((execution): SimulatedExecution => {
      const job = names.get(execution.jobId);
      return job === undefined ? execution : { ...execution, job };
    })
    .sort((a, b) => (a.dueAt === b.dueAt ? compare(a.id, b.id) : compare(a.dueAt, b.dueAt)));
  const jobs = await Promise.all(created.map(({ id }) => getJob(context, asUser(OWNER), id)));
  return {
    executions,
    jobs,
    of(job) {
      if (!jobs.some(({ id, name }) => id === job || name === job)) {
        const known = jobs.map(({ id, name }) => JSON.stringify(name ?? id)).join(', ');
        throw new RangeError(`the simulation has no job ${JSON.stringify(job)}; its jobs are ${known}`);
      }
      return executions.filter((execution) => execution.jobId === job || execution.job === job);
    },
  };
}

/** The owner of the jobs. */
export const OWNER = 'simulation';

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
