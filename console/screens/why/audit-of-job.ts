// Reads what an audit needs, and compares it with the schedule in the page.
import type { PunctualClient } from '../../../src/client/client.ts';
import type { Change, Execution, Job } from '../../../src/client/types.ts';
import { auditedRange, auditNotes, zoneMargin } from '../../../src/domain/jobs/audited-range.ts';
import { pausesOf } from '../../../src/domain/jobs/pauses.ts';
import { type AuditReport, audit, type Interval } from '../../../src/domain/schedule/audit.ts';
import { isoUtc } from '../../../src/domain/schedule/instant.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';

/** Executions that one audit reads at most. A page of 100 is one request. */
const MAX_READ = 1000;

export interface Audit extends Interval {
  readonly report: AuditReport;
  readonly executions: readonly Execution[];
  readonly notes: readonly string[];
}

export async function auditOf(
  api: PunctualClient,
  job: Job,
  asked: Interval & { readonly lateMs: number },
  signal: AbortSignal,
): Promise<Audit> {
  const schedule = job.schedule as Schedule;
  const wanted = auditedRange(job, asked);
  const margin = zoneMargin(schedule);
  const executions: Execution[] = [];
  let isCut = false;
  if (wanted.from < wanted.to) {
    const query = { from: isoUtc(wanted.from - margin), to: isoUtc(wanted.to + margin), limit: 100 };
    for await (const execution of api.executions.ofJob(job.id, query, { signal })) {
      if (executions.length >= MAX_READ) {
        isCut = true;
        break;
      }
      executions.push(execution);
    }
  }
  const changes: Change[] = [];
  for await (const change of api.jobs.changes(job.id, { limit: 100 }, { signal })) changes.push(change);
  // Executions are newest first. The oldest one that was read may share its due time with one that was not.
  const oldest = executions.at(-1);
  const from = isCut && oldest ? Math.max(wanted.from, Date.parse(oldest.dueAt) + 1 + margin) : wanted.from;
  const { to } = wanted;
  const report = audit({
    ...{ jobId: job.id, schedule, from, to, lateMs: asked.lateMs, executions },
    pauses: pausesOf(changes),
    now: Date.now(),
  });
  const cut = isCut
    ? [
        `Only the newest ${MAX_READ} executions were read. Earlier than ${isoUtc(from)}, nothing was compared.`,
      ]
    : [];
  const notes = auditNotes(job, changes, from).map(
    (note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`,
  );
  return { report, executions, notes: [...cut, ...notes], from, to };
}
