// `punctual audit`: compares the schedule of a job with its executions.
import type { Change, Execution, Job } from '../../client/client.ts';
import { InvalidInput } from '../../domain/errors.ts';
import { auditedRange, auditNotes, zoneMargin } from '../../domain/jobs/audited-range.ts';
import { pausesOf } from '../../domain/jobs/pauses.ts';
import { type AuditInput, type AuditReport, audit as auditJob } from '../../domain/schedule/audit.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import { type Cli, defineCommand, EXIT, UsageError } from '../command.ts';
import { findJobId } from '../find-job.ts';
import { table } from '../table.ts';
import { instantOf, iso, lengthText, millisecondsOf, timeText } from '../times.ts';

export const audit = defineCommand({
  name: 'audit',
  summary: 'compare the schedule of a job with its executions: missing, late, doubled',
  usage: '<job> [--from <time>] [--to <time>]',
  options: {
    from: {
      type: 'string',
      value: '<time>',
      about: 'first due time: 2026-12-01T10:00:00Z, 2026-12-01, or 24h (ago; the default)',
    },
    to: { type: 'string', value: '<time>', about: 'due before this time (default now)' },
    late: {
      type: 'string',
      value: '<duration>',
      about: 'lateness above which a start counts as late (default 2s)',
    },
    'fail-late': { type: 'boolean', about: 'exit with 1 also if an execution is late' },
  },
  takes: [1, 1],
  server: 'user',
  notes: [
    'The exit code is 1 if an occurrence is missing or doubled.',
    'No executions are expected before the job was created, after it was cancelled, or while it was paused.\nThe current schedule is used. If it was edited within the time range, the report has a note.\nJitter does not count as lateness. An occurrence that ran by earlier rules of its timezone counts as recorded.',
  ],
  examples: [
    ['punctual audit nightly-report --from 2026-11-01 --to 2026-12-01', 'audit a month'],
    [
      'punctual audit hello --from 1h --late 500ms --fail-late',
      'fail if a start in the last hour was over 500 ms late',
    ],
  ],
  async run(cli, [idOrName = ''], values) {
    const now = cli.now();
    const lateMs = millisecondsOf(values.late ?? '2s', '--late');
    const asked = {
      from: instantOf(values.from ?? '24h', now, '--from'),
      to: instantOf(values.to ?? 'now', now, '--to'),
    };
    if (asked.from >= asked.to) throw new UsageError('--from must be before --to');
    const client = await cli.client();
    const { signal } = cli;
    const job = await client.jobs.get(await findJobId(client, idOrName, signal), { signal });
    const { from, to } = auditedRange(job, asked);
    const executions: Execution[] = [];
    if (from < to) {
      const margin = zoneMargin(job.schedule as Schedule);
      const query = { from: iso(from - margin), to: iso(to + margin), limit: 100 };
      for await (const execution of client.executions.ofJob(job.id, query, { signal }))
        executions.push(execution);
    }
    const changes: Change[] = [];
    for await (const change of client.jobs.changes(job.id, { limit: 100 }, { signal })) changes.push(change);
    // The server returns the resolved schedule.
    const schedule = job.schedule as Schedule;
    const pauses = pausesOf(changes);
    const report = auditOf({ jobId: job.id, schedule, from, to, now: cli.now(), lateMs, pauses, executions });
    const notes = auditNotes(job, changes, from);
    if (cli.json) {
      cli.out(JSON.stringify({ jobId: job.id, from: iso(from), to: iso(to), lateMs, ...report, notes }));
    } else print(cli, job, { from, to }, lateMs, report, notes);
    const problems =
      report.missing.length + report.doubled.length + (values['fail-late'] ? report.late.length : 0);
    return problems > 0 ? EXIT.failure : EXIT.ok;
  },
});

/** A range with too many occurrences is a usage error. */
function auditOf(input: AuditInput): AuditReport {
  try {
    return auditJob(input);
  } catch (error) {
    if (error instanceof InvalidInput) throw new UsageError(error.message);
    throw error;
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function print(
  cli: Cli,
  job: Job,
  { from, to }: Range,
  lateMs: number,
  report: AuditReport,
  notes: readonly string[],
): void {
  const { missing, late, doubled, unexpected } = report;
  cli.out(`${job.name ?? job.id}, ${iso(from)} to ${iso(to)}`);
  cli.out(
    [
      `${report.expected} expected`,
      `${report.recorded} recorded${report.skipped > 0 ? ` (${report.skipped} skipped)` : ''}`,
      `${missing.length} missing`,
      `${late.length} late (more than ${lengthText(lateMs)})`,
      `${doubled.length} doubled`,
      ...(report.byEarlierRules > 0 ? [`${report.byEarlierRules} by earlier rules of the timezone`] : []),
      ...(report.pending > 0 ? [`${report.pending} due just now`] : []),
      ...(report.paused > 0 ? [`${report.paused} during a pause`] : []),
      ...(unexpected.length > 0 ? [`${unexpected.length} not expected`] : []),
      ...(report.byHand > 0 ? [`${report.byHand} started manually`] : []),
    ].join(', '),
  );
  const rows = [
    ...missing.map(({ dueAt }) => ['missing', dueAt, '', '']),
    ...late.map((one) => ['late', one.dueAt, lengthText(one.latenessMs), one.executionId]),
    ...doubled.map((one) => ['doubled', one.dueAt, '', one.executionIds.join(' ')]),
    ...unexpected.map((one) => ['not expected', one.dueAt, '', one.executionId]),
  ].sort((a, b) => ((a[1] ?? '') < (b[1] ?? '') ? -1 : 1));
  if (rows.length > 0) {
    const columns = [
      { title: 'FINDING' },
      { title: 'DUE' },
      { title: '' },
      { title: 'BY', right: true },
      { title: 'EXECUTION' },
    ];
    const cells = rows.map(([what, due = '', by, id]) => [
      what,
      due,
      timeText(due, { ...cli, absolute: false }),
      by,
      id,
    ]);
    for (const line of ['', ...table(columns, cells, cli.width)]) cli.out(line);
  }
  for (const note of notes) cli.err(`note: ${note}`);
}
