// `punctual audit`: did everything run that should have?
import type { Change, Execution, Job } from '../../client/client.ts';
import { InvalidInput } from '../../domain/errors.ts';
import { pausesOf } from '../../domain/jobs/pauses.ts';
import { type AuditInput, type AuditReport, audit as auditOf } from '../../domain/schedule/audit.ts';
import { hasZoneRules } from '../../domain/schedule/occurrences.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import { type Cli, defineCommand, EXIT, UsageError } from '../command.ts';
import { findJobId } from '../find.ts';
import { table } from '../table.ts';
import { instantOf, iso, lengthText, millisecondsOf, timeText } from '../times.ts';

export const audit = defineCommand({
  name: 'audit',
  summary: 'compare what a job should have run with what it has: missing, late, doubled',
  usage: '<job> [--from <time>] [--to <time>]',
  options: {
    from: {
      type: 'string',
      value: '<time>',
      about: 'due at or after: 2026-12-01T10:00:00Z, 2026-12-01, 24h (ago; the default)',
    },
    to: { type: 'string', value: '<time>', about: 'due before; default now' },
    late: { type: 'string', value: '<duration>', about: 'later than this is late (default 2s)' },
    'fail-late': { type: 'boolean', about: 'exit code 1 for late ones too' },
  },
  takes: [1, 1],
  server: 'user',
  notes: [
    'Exit code 1 when an occurrence is missing or doubled. Occurrences before the job was created, after it was\ncancelled, or while it was paused are not expected. The schedule is the one of today: if it was edited within the range,\nthe report says so. A start that jitter delays is not late. An\noccurrence that ran by rules of its timezone that have changed since is recorded.',
  ],
  examples: [
    ['punctual audit nightly-report --from 2026-11-01 --to 2026-12-01', 'a month'],
    ['punctual audit hello --from 1h --late 500ms --fail-late', 'the last hour, strictly'],
  ],
  async run(cli, [which = ''], values) {
    const now = cli.now();
    const lateMs = millisecondsOf(values.late ?? '2s', '--late');
    const asked = {
      from: instantOf(values.from ?? '24h', now, '--from'),
      to: instantOf(values.to ?? 'now', now, '--to'),
    };
    if (asked.from >= asked.to) throw new UsageError('--from must be before --to');
    const client = await cli.client();
    const { signal } = cli;
    const job = await client.jobs.get(await findJobId(client, which, signal), { signal });
    const { from, to } = lifetime(job, asked);
    const executions: Execution[] = [];
    if (from < to) {
      // a row may be at the time that an occurrence had by earlier rules of its timezone
      const around = hasZoneRules(job.schedule as Schedule) ? MAX_CHANGE_MS : 0;
      const query = { from: iso(from - around), to: iso(to + around), limit: 100 };
      for await (const execution of client.executions.ofJob(job.id, query, { signal }))
        executions.push(execution);
    }
    const changes: Change[] = [];
    for await (const change of client.jobs.changes(job.id, { limit: 100 }, { signal })) changes.push(change);
    // as the server stores it: resolved
    const schedule = job.schedule as Schedule;
    const pauses = pausesOf(changes);
    const report = audited({ jobId: job.id, schedule, from, to, now: cli.now(), lateMs, pauses, executions });
    const notes = notesOn(job, changes, from);
    if (cli.json) {
      cli.out(JSON.stringify({ jobId: job.id, from: iso(from), to: iso(to), lateMs, ...report, notes }));
    } else print(cli, job, { from, to }, lateMs, report, notes);
    const bad =
      report.missing.length + report.doubled.length + (values['fail-late'] ? report.late.length : 0);
    return bad > 0 ? EXIT.failure : EXIT.ok;
  },
});

function audited(input: AuditInput): AuditReport {
  try {
    return auditOf(input);
  } catch (error) {
    if (error instanceof InvalidInput) throw new UsageError(error.message);
    throw error;
  }
}

/** Nearly all changes of a timezone's rules move clocks by three hours at most. */
const MAX_CHANGE_MS = 3 * 3_600_000;

interface Range {
  readonly from: number;
  readonly to: number;
}

function lifetime(job: Job, asked: Range): Range {
  const end = job.status === 'cancelled' ? Date.parse(job.updatedAt) : asked.to;
  return { from: Math.max(asked.from, Date.parse(job.createdAt)), to: Math.min(asked.to, end) };
}

function notesOn(job: Job, changes: readonly Change[], from: number): string[] {
  const edit = changes.find(({ what, after }) => what === 'edited' && after?.schedule !== undefined);
  return [
    ...(job.status === 'paused' ? [`the job is paused since ${pausedAt(changes) ?? job.updatedAt}`] : []),
    ...(edit && Date.parse(edit.at) >= from
      ? [`the schedule was edited at ${edit.at}: earlier occurrences are compared with the schedule of today`]
      : []),
  ];
}

const pausedAt = (changes: readonly Change[]): string | undefined =>
  changes.find(({ what }) => what === 'paused')?.at;

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
      ...(report.paused > 0 ? [`${report.paused} in a pause`] : []),
      ...(unexpected.length > 0 ? [`${unexpected.length} not expected`] : []),
      ...(report.byHand > 0 ? [`${report.byHand} started by hand`] : []),
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
