// What people call a job or an execution by: its id, or a job's name.
import type { Job, PunctualClient } from '../client/client.ts';
import { parseExecutionId } from '../domain/executions/ids.ts';

/** What was asked for is not there, or there are several: exit code 1. */
export class NotFoundHere extends Error {
  override readonly name = 'NotFoundHere';
}

export const isExecutionId = (text: string): boolean => parseExecutionId(text) !== undefined;

const JOB_ID = /^job_[0-9a-zA-Z]{20}$/;

export async function findJobId(
  client: PunctualClient,
  idOrName: string,
  signal: AbortSignal,
): Promise<string> {
  if (JOB_ID.test(idOrName)) return idOrName;
  const named: Job[] = [];
  const name = idOrName.slice(0, 100);
  for await (const job of client.jobs.list({ name, limit: 100 }, { signal })) {
    if (job.name === idOrName) named.push(job);
  }
  // one that is over does not stand in the way of its successor
  const alive = named.filter(({ status }) => status === 'active' || status === 'paused');
  const [job, another] = alive.length > 0 ? alive : named;
  if (!job) throw new NotFoundHere(`there is no job with the id or name ${JSON.stringify(idOrName)}`);
  if (another) {
    const ids = (alive.length > 0 ? alive : named).map(({ id, status }) => `  ${id}  ${status}`);
    throw new NotFoundHere(
      `${ids.length} jobs are called ${JSON.stringify(idOrName)}; say which:\n${ids.join('\n')}`,
    );
  }
  return job.id;
}
