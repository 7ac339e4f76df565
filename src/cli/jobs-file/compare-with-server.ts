// Compares a jobs file with the server. Every job is validated by a dry run before the first write.
import { type NamedJobPlan, PunctualApiError, type PunctualClient } from '../../client/client.ts';
import { forEachLimit } from '../../concurrency/map-limit.ts';
import type { FileError } from './file-document.ts';
import type { JobsFile, NamedFileJob } from './read-jobs-file.ts';

/** Requests at the same time. */
export const MAX_CONCURRENT = 8;

export interface JobPlan {
  readonly name: string;
  readonly job: NamedFileJob;
  readonly plan?: NamedJobPlan;
  /** Why the server refuses the job. It depends on the server, not on the file. */
  readonly refused?: string;
}

/** A job of the namespace that is not in the file. */
export interface Extra {
  readonly name: string;
  readonly id: string;
  readonly status: string;
}

export interface Comparison {
  /** In the order of the file. */
  readonly jobs: readonly JobPlan[];
  readonly extras: readonly Extra[];
  /** The number of active and paused jobs in the namespace. */
  readonly live: number;
  /** Errors of the file that the server has found. */
  readonly errors: readonly FileError[];
}

export async function compareWithServer(
  client: PunctualClient,
  file: JobsFile,
  signal: AbortSignal,
): Promise<Comparison> {
  const { namespace } = file;
  const jobs: JobPlan[] = [];
  const errors: FileError[] = [];
  await forEachLimit(file.jobs, MAX_CONCURRENT, async (job, index) => {
    const { name } = job;
    try {
      jobs[index] = {
        name,
        job,
        plan: await client.namedJobs.plan({ namespace, name }, job.job, { signal }),
      };
    } catch (error) {
      if (!(error instanceof PunctualApiError) || error.status === 401) throw error;
      const found = fileErrors(file, job, error);
      errors.push(...found);
      jobs[index] = { name, job, ...(found.length === 0 && { refused: error.message }) };
    }
  });
  const names = new Set(file.jobs.map(({ name }) => name));
  const live = await liveJobs(client, namespace, signal);
  const extras = live.filter(({ name }) => !names.has(name));
  return { jobs, extras, live: live.length, errors };
}

/** Statuses of requests that the server will never accept: invalid input, and a schedule that never fires. */
const WRONG = [400, 422];

function fileErrors(
  { locate }: JobsFile,
  job: NamedFileJob,
  { status, fieldErrors, problem, message }: PunctualApiError,
): FileError[] {
  if (!WRONG.includes(status)) return [];
  if (fieldErrors.length === 0)
    return [{ ...locate(job, 'schedule'), job: job.name, message: problem?.detail ?? message }];
  return fieldErrors.map(({ path, message: text }) => ({
    ...locate(job, path),
    ...{ job: job.name, path, message: text },
  }));
}

/** The active and paused jobs of the namespace, by name. A name has one. */
async function liveJobs(client: PunctualClient, namespace: string, signal: AbortSignal): Promise<Extra[]> {
  const found = new Map<string, Extra>();
  for (const status of ['active', 'paused'] as const) {
    for await (const { name = '', id } of client.jobs.list({ namespace, status, limit: 100 }, { signal }))
      found.set(name, { name, id, status });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface Summary {
  readonly create: number;
  readonly update: number;
  readonly replace: number;
  readonly none: number;
  readonly refused: number;
  /** Jobs that are not in the file and are cancelled. 0 without --prune. */
  readonly prune: number;
}

export function summaryOf({ jobs, extras }: Comparison, prune: boolean): Summary {
  const count = (action: NamedJobPlan['action']) => jobs.filter(({ plan }) => plan?.action === action).length;
  return {
    create: count('create'),
    update: count('update'),
    replace: count('replace'),
    none: count('none'),
    refused: jobs.filter(({ refused }) => refused !== undefined).length,
    prune: prune ? extras.length : 0,
  };
}

export const hasDifferences = ({ create, update, replace, prune }: Summary): boolean =>
  create + update + replace + prune > 0;
