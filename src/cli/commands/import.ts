// `punctual import`: writes a jobs file from EventBridge or from a crontab.
import { namespaceSchema } from '../../domain/jobs/job-name.ts';
import { parse } from '../../domain/validation/validation.ts';
import { type Cli, defineCommand, EXIT, UsageError } from '../command.ts';
import { UNLIMITED } from '../each-argument.ts';
import { importCrontab } from '../import/import-crontab.ts';
import { importEventBridge } from '../import/import-eventbridge.ts';
import { fileOf, type Imported, reportLines, yamlOf } from '../import/imported.ts';
import { jsonDocuments } from '../import/json-documents.ts';
import { readText } from '../read-text.ts';
import { jobCountText } from '../resource-tables.ts';

const SOURCES = ['eventbridge', 'crontab'] as const;
type Source = (typeof SOURCES)[number];

export const importJobs = defineCommand({
  name: 'import',
  summary: 'write a jobs file from EventBridge or a crontab; needs no server',
  usage: '<eventbridge|crontab> <file>… [--namespace <name>] > jobs.yaml',
  options: {
    namespace: { type: 'string', value: '<name>', about: 'namespace of the jobs (default: the source)' },
    timezone: {
      type: 'string',
      value: '<name>',
      about: 'crontab: timezone of the machine, for lines without CRON_TZ (default UTC)',
    },
    system: { type: 'boolean', about: 'crontab: lines have a user before the command, as in /etc/crontab' },
  },
  takes: [1, UNLIMITED],
  notes: [
    'eventbridge reads the output of aws scheduler get-schedule, and of aws events list-rules with the targets of each rule in\nits field Targets. A file may have one JSON value, a list, or several values after each other.',
    'The jobs file is printed to stdout. Every field that is not carried over is reported on stderr.\nThe exit code is 1 if a schedule or line was refused.',
  ],
  examples: [
    ['punctual import eventbridge schedules.json --namespace billing > jobs.yaml', 'import schedules'],
    ['crontab -l | punctual import crontab - --timezone Europe/Paris > jobs.yaml', 'import your crontab'],
    ['punctual import crontab /etc/crontab --system > jobs.yaml', 'import the crontab of a machine'],
  ],
  async run(cli, [source = '', ...files], { namespace = source, timezone, system = false }) {
    if (!isSource(source))
      throw new UsageError(`import takes ${SOURCES.join(' or ')}, got ${JSON.stringify(source)}`);
    if (files.length === 0) throw new UsageError('the file is missing: give its name, or - for stdin');
    if (source === 'eventbridge' && (timezone !== undefined || system))
      throw new UsageError('--timezone and --system apply to a crontab only');
    const wrong = parse(namespaceSchema, namespace).errors?.[0];
    if (wrong) throw new UsageError(`--namespace ${wrong.message}`);
    const texts: string[] = [];
    for (const file of files) texts.push(await readText(cli, file));
    const imported =
      source === 'crontab'
        ? importCrontab(texts.join('\n'), { system, timezone }, cli.now())
        : importEventBridge(
            texts.flatMap((text, i) => documentsOf(text, files[i] ?? '')),
            cli.now(),
          );
    print(cli, namespace, `imported from ${source} by punctual import`, imported);
    return imported.notes.some(({ kind }) => kind === 'refused') ? EXIT.failure : EXIT.ok;
  },
});

const isSource = (text: string): text is Source => SOURCES.includes(text as Source);

function documentsOf(text: string, file: string): unknown[] {
  try {
    return jsonDocuments(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function print(cli: Cli, namespace: string, heading: string, { jobs, notes }: Imported): void {
  if (cli.json) {
    cli.out(JSON.stringify({ file: fileOf(namespace, jobs), report: notes }));
    return;
  }
  cli.out(yamlOf(namespace, jobs, heading).trimEnd());
  for (const line of reportLines(notes)) cli.err(line);
  const refused = notes.filter(({ kind }) => kind === 'refused').length;
  cli.err(`imported ${jobCountText(jobs.length)}${refused > 0 ? `, refused ${refused}` : ''}`);
}
