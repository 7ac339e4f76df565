// `punctual apply`: makes the jobs of a namespace as the file describes them.
import {
  type Job,
  PunctualApiError,
  type PunctualClient,
  PunctualNetworkError,
} from '../../client/client.ts';
import { forEachLimit } from '../../concurrency/map-limit.ts';
import { type Cli, defineCommand, EXIT } from '../command.ts';
import { NOTE_FLAG } from '../each-argument.ts';
import { MAX_CONCURRENT, type Summary } from '../jobs-file/compare-with-server.ts';
import {
  FILE_FLAGS,
  type Planned,
  planFile,
  planJson,
  printPlan,
  refusesPrune,
} from '../jobs-file/file-command.ts';
import { summaryText } from '../jobs-file/plan-text.ts';

export const apply = defineCommand({
  name: 'apply',
  summary: 'create, edit and replace jobs as a file describes them',
  usage: '-f <jobs.yaml> [--prune] [--dry-run]',
  options: {
    ...FILE_FLAGS,
    'dry-run': { type: 'boolean', about: 'show the plan and write nothing' },
    ...NOTE_FLAG,
  },
  takes: [0, 0],
  server: 'user',
  notes: [
    'All jobs are validated before the first one is written. A job that is as described is not written.\nTwo applies at the same moment leave one job per name. After an interruption, apply the file again.',
  ],
  exitCodes: {
    0: 'the jobs are as the file describes them',
    1: 'the server refused some jobs',
    2: 'the command line or the file is wrong, or the prune was refused; nothing was done',
  },
  examples: [
    ['punctual apply -f jobs.yaml', 'make the jobs as described'],
    ['punctual apply -f jobs.yaml --prune', 'and cancel the jobs of the namespace that are not in the file'],
    ['punctual apply -f jobs.yaml --note "$GITHUB_SHA"', 'record the commit with each change'],
  ],
  async run(cli, _args, { note, 'dry-run': dryRun, ...values }) {
    const planned = await planFile(cli, values);
    if (typeof planned === 'number') return planned;
    const { summary } = planned;
    if (!cli.json) printPlan(cli, values, planned);
    if (refusesPrune(cli, values, planned)) return EXIT.usage;
    if (summary.refused > 0) {
      if (cli.json) cli.out(JSON.stringify(planJson(planned, values.prune === true)));
      else cli.err('punctual: the server refuses some jobs; nothing was done');
      return EXIT.failure;
    }
    if (dryRun) {
      if (cli.json) cli.out(JSON.stringify(planJson(planned, values.prune === true)));
      return EXIT.ok;
    }
    const results = await write(cli, await cli.client(), planned, { note, prune: values.prune === true });
    const done = doneSummary(results);
    if (cli.json)
      cli.out(JSON.stringify({ namespace: planned.file.namespace, summary: done, jobs: results }));
    else cli.out(`done: ${summaryText(done, true)}`);
    return done.refused > 0 ? EXIT.failure : EXIT.ok;
  },
});

interface Result {
  readonly name: string;
  readonly action: 'create' | 'update' | 'replace' | 'none' | 'cancel' | 'refused';
  readonly id?: string;
  readonly error?: string;
  readonly warnings?: Job['warnings'];
}

/**
 * Sends every job, also those that the plan shows as unchanged: the request completes a replacement that was interrupted. It
 * writes nothing if the job is as described.
 */
async function write(
  cli: Cli,
  client: PunctualClient,
  { file, comparison }: Planned,
  { note, prune }: { note: string | undefined; prune: boolean },
): Promise<Result[]> {
  const { namespace } = file;
  const { signal } = cli;
  const results: Result[] = [];
  const attempt = async (index: number, name: string, act: () => Promise<Omit<Result, 'name'>>) => {
    try {
      results[index] = { name, ...(await act()) };
    } catch (error) {
      if (!(error instanceof PunctualApiError || error instanceof PunctualNetworkError)) throw error;
      results[index] = { name, action: 'refused', error: error.message };
      if (!cli.json) cli.err(`punctual: ${name}: ${error.message}`);
    }
  };
  await forEachLimit(file.jobs, MAX_CONCURRENT, ({ name, job }, index) =>
    attempt(index, name, async () => {
      const body = { ...job, ...(note !== undefined && { note }) };
      const put = await client.namedJobs.put({ namespace, name }, body, { signal });
      const { action = 'none', id, warnings } = put;
      if (!cli.json) for (const { message } of warnings ?? []) cli.err(`warning: ${name}: ${message}`);
      return { action, id, ...(warnings && { warnings }) };
    }),
  );
  // a job that is renamed in the file is created before the old one is cancelled
  const hasFailed = results.some(({ action }) => action === 'refused');
  const extras = prune && !hasFailed ? comparison.extras : [];
  await forEachLimit(extras, MAX_CONCURRENT, ({ name, id }, index) =>
    attempt(file.jobs.length + index, name, async () => {
      await client.namedJobs.cancel({ namespace, name }, { note: note ?? 'not in the jobs file', signal });
      return { action: 'cancel', id };
    }),
  );
  if (prune && hasFailed && !cli.json) cli.err('punctual: some jobs were refused, so no job was cancelled');
  return results;
}

function doneSummary(results: readonly Result[]): Summary {
  const count = (action: Result['action']) => results.filter((result) => result.action === action).length;
  return {
    create: count('create'),
    update: count('update'),
    replace: count('replace'),
    none: count('none'),
    refused: count('refused'),
    prune: count('cancel'),
  };
}
