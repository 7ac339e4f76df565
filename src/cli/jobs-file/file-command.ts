// The common part of plan and apply: flags, reading the file, comparing and printing.
import { type Cli, EXIT, type Options, UsageError, type Values } from '../command.ts';
import { readText } from '../read-text.ts';
import { jobCountText } from '../resource-tables.ts';
import { type Comparison, compareWithServer, type Summary, summaryOf } from './compare-with-server.ts';
import { type FileError, JobsFileError } from './file-document.ts';
import { planLines, planMarkdown, summaryText } from './plan-text.ts';
import { type JobsFile, readJobsFile } from './read-jobs-file.ts';

export const FILE_FLAGS = {
  file: {
    type: 'string',
    short: 'f',
    value: '<jobs.yaml>',
    about: 'the jobs file, YAML or JSON (- for stdin)',
  },
  env: {
    type: 'string',
    multiple: true,
    value: '<NAME>',
    about: 'let the file read a variable that may hold a credential, such as AWS_REGION (repeatable)',
  },
  prune: {
    type: 'boolean',
    about: 'cancel the jobs of the namespace that are not in the file',
  },
  force: { type: 'boolean', about: 'with --prune: cancel more than half of the jobs of the namespace' },
  markdown: { type: 'boolean', about: 'print the plan as Markdown, for a pull request' },
} as const satisfies Options;

export type FileValues = Values<typeof FILE_FLAGS>;

export interface Planned {
  readonly file: JobsFile;
  readonly comparison: Comparison;
  readonly summary: Summary;
}

/** Reads and compares the file. A number is the exit code if the file is wrong: then nothing was done. */
export async function planFile(cli: Cli, values: FileValues): Promise<Planned | number> {
  const { file: path } = values;
  if (path === undefined) throw new UsageError('the jobs file is missing: give -f jobs.yaml');
  if (values.force && !values.prune) throw new UsageError('--force has no effect without --prune');
  if (values.markdown && cli.json) throw new UsageError('--markdown and --json cannot be combined: give one');
  const text = await readText(cli, path);
  try {
    const file = readJobsFile(text, cli.env, cli.now(), values.env);
    const comparison = await compareWithServer(await cli.client(), file, cli.signal);
    if (comparison.errors.length > 0) throw new JobsFileError(comparison.errors);
    return { file, comparison, summary: summaryOf(comparison, values.prune === true) };
  } catch (error) {
    if (!(error instanceof JobsFileError)) throw error;
    printFileErrors(cli, path, error.errors);
    return EXIT.usage;
  }
}

function printFileErrors(cli: Cli, path: string, errors: readonly FileError[]): void {
  if (cli.json) {
    cli.err(JSON.stringify({ error: { message: `${path} is wrong, nothing was done`, errors } }));
    return;
  }
  for (const { line, column, job, path: field, message } of errors) {
    const where = line === undefined ? path : `${path}:${line}:${column}`;
    const inJob = job === undefined ? '' : `job ${JSON.stringify(job)}: `;
    cli.err(`${where}: ${inJob}${field ? `${field}: ` : ''}${message}`);
  }
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  cli.err(`punctual: ${path} has ${count}; nothing was done`);
}

export function printPlan(cli: Cli, values: FileValues, { file, comparison, summary }: Planned): void {
  const style = { absolute: cli.absolute, now: cli.now, prune: values.prune === true };
  const title = `${values.file}, namespace ${file.namespace}`;
  if (values.markdown) {
    for (const line of planMarkdown(title, comparison, summary, style)) cli.out(line);
    return;
  }
  cli.out(`${title}: ${jobCountText(file.jobs.length)}`);
  const lines = planLines(comparison, style);
  if (lines.length > 0) cli.out('');
  for (const line of lines) cli.out(line);
  if (lines.length > 0) cli.out('');
  cli.out(`plan: ${summaryText(summary)}`);
}

export const planJson = ({ file, comparison, summary }: Planned, prune: boolean) => ({
  namespace: file.namespace,
  summary,
  jobs: comparison.jobs.map(({ name, plan, refused }) => ({ name, ...plan, ...(refused && { refused }) })),
  notInFile: comparison.extras.map(({ name, id, status }) => ({ name, id, status, cancel: prune })),
});

/** Whether the prune would cancel too many jobs. Prints the reason. */
export function refusesPrune(
  cli: Cli,
  values: FileValues,
  { comparison: { extras, live } }: Planned,
): boolean {
  if (!values.prune || values.force || extras.length * 2 <= live) return false;
  const reason = `--prune would cancel ${extras.length} of the ${jobCountText(live)} of the namespace, which is more than half; nothing was done. Check the file and its namespace, or add --force`;
  cli.err(cli.json ? JSON.stringify({ error: { message: reason } }) : `punctual: ${reason}`);
  return true;
}
