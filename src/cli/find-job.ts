// Finds a job by its id, its name, or its namespace and name (`billing/nightly-report`).
import type { Job, PunctualClient } from '../client/client.ts';
import { parseExecutionId } from '../domain/executions/ids.ts';

/** No job has the id or name, or several have the name. The exit code is 1. */
export class JobNotFound extends Error {
  override readonly name = 'JobNotFound';
}

export const isExecutionId = (text: string): boolean => parseExecutionId(text) !== undefined;

/** The API refuses a longer name filter. */
const MAX_NAME_LENGTH = 100;
const JOB_ID = /^job_[0-9a-zA-Z]{20}$/;

export async function findJobId(
  client: PunctualClient,
  idOrName: string,
  signal: AbortSignal,
): Promise<string> {
  if (JOB_ID.test(idOrName)) return idOrName;
  const withName: Job[] = [];
  const name = idOrName.slice(0, MAX_NAME_LENGTH);
  for await (const job of client.jobs.list({ name, limit: 100 }, { signal })) {
    if (job.name === idOrName) withName.push(job);
  }
  // A job that has ended does not make the name of a newer job ambiguous.
  const live = withName.filter(({ status }) => status === 'active' || status === 'paused');
  const candidates = live.length > 0 ? live : withName;
  const [job, another] = candidates;
  const [, namespace, own] = /^([\w.-]+)\/([\w.-]+)$/.exec(idOrName) ?? [];
  if (!job && namespace !== undefined && own !== undefined)
    return (await client.namedJobs.get({ namespace, name: own }, { signal })).id;
  if (!job) throw new JobNotFound(`there is no job with the id or name ${JSON.stringify(idOrName)}`);
  if (another) {
    const ids = candidates.map(({ id, status }) => `  ${id}  ${status}`);
    throw new JobNotFound(
      `${ids.length} jobs have the name ${JSON.stringify(idOrName)}; use an id:\n${ids.join('\n')}`,
    );
  }
  return job.id;
}
