// Reads a jobs file: YAML or JSON, variables, defaults and validation. All errors are found before any request is sent.
import { z } from 'zod';
import { InvalidInput } from '../../domain/errors.ts';
import { jobNameSchema } from '../../domain/jobs/job-name.ts';
import { jobSpecSchema } from '../../domain/jobs/job-spec.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import { parse } from '../../domain/validation/validation.ts';
import { type FileError, JobsFileError, readDocument, refuse } from './file-document.ts';
import { fileJobSchema, jobsFileSchema } from './file-schema.ts';
import { type MergedJob, mergeDefaults } from './merge-defaults.ts';
import { type Position, pathParts } from './positions.ts';

export interface JobsFile {
  readonly namespace: string;
  readonly jobs: readonly NamedFileJob[];
  /** The position of a field of a job, for errors that the server finds. */
  locate(job: NamedFileJob, path: string): Position;
}

export interface NamedFileJob {
  readonly name: string;
  readonly job: MergedJob & { readonly task: string; readonly schedule: object };
}

export function readJobsFile(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  now: number,
  allowed: readonly string[] = [],
): JobsFile {
  const { value, at } = readDocument(text, env, allowed);
  const outline = parse(outlineSchema, value);
  const errors: FileError[] = (outline.errors ?? []).map(({ path, message }) => ({
    ...at(pathParts(path)),
    ...(path !== '' && { path }),
    message: path === 'defaults.schedule.in' ? RELATIVE : message,
  }));
  // the names of jobs are not part of a path, because they may contain dots
  const read = Object.entries(jobsOf(value)).map(([name, fields]): NamedFileJob => {
    const job = parse(fileJobSchema, fields);
    const merged = job.value && outline.value && mergeDefaults(outline.value.defaults ?? {}, job.value);
    const found = job.errors ?? (merged ? jobErrors(name, merged, now) : []);
    errors.push(
      ...found.map(({ path, message }) => ({
        ...at(['jobs', name, ...pathParts(path)]),
        ...{ job: name, path, message: path === 'schedule.in' ? RELATIVE : message },
      })),
    );
    return { name, job: merged as NamedFileJob['job'] };
  });
  refuse(errors);
  if (!outline.value) throw new JobsFileError([]);
  return {
    namespace: outline.value.namespace,
    jobs: read,
    locate: ({ name }, path) => at(['jobs', name, ...pathParts(path)]),
  };
}

/** The file without its jobs, which are checked one by one. */
const outlineSchema = jobsFileSchema.extend({ jobs: z.record(z.string(), z.unknown()) });

function jobsOf(file: unknown): object {
  const { jobs } = Object(file) as { jobs?: unknown };
  return jobs !== null && typeof jobs === 'object' && !Array.isArray(jobs) ? jobs : {};
}

const RELATIVE =
  'does not apply to a file, because each apply would move the run; use at, cron, every or calendar';

interface JobProblem {
  readonly path: string;
  readonly message: string;
}

/** The errors of a job that can be found without a server. */
function jobErrors(name: string, { paused: _paused, ...job }: MergedJob, now: number): JobProblem[] {
  const named = parse(jobNameSchema, name).errors?.map(({ message }) => ({ path: '', message })) ?? [];
  const missing =
    job.schedule === undefined
      ? [{ path: '', message: 'schedule is missing; a job of a file must have one' }]
      : [];
  const spec = parse(jobSpecSchema, job);
  return [...named, ...missing, ...(spec.errors ?? scheduleErrors(job, now))];
}

function scheduleErrors({ schedule }: Pick<MergedJob, 'schedule'>, now: number): JobProblem[] {
  if (!schedule) return [];
  try {
    resolveSchedule(schedule, now);
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return [...error.errors];
    throw error;
  }
}
