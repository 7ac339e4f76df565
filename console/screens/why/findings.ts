// The findings of an audit in one list, newest first.
import { lengthText } from '../../../src/domain/length-text.ts';
import type { AuditReport, Interval } from '../../../src/domain/schedule/audit.ts';

export interface Finding {
  readonly what: 'missing' | 'doubled' | 'late' | 'skipped' | 'not expected';
  readonly dueAt: string;
  readonly detail: string;
  /** Absent if there is no execution. */
  readonly executionId?: string;
}

interface Recorded {
  readonly id: string;
  readonly dueAt: string;
  readonly status: string;
  readonly reason?: string | undefined;
}

type Found = Pick<AuditReport, 'missing' | 'late' | 'doubled' | 'unexpected'>;

export function findingsOf(report: Found, executions: readonly Recorded[], range: Interval): Finding[] {
  const isInside = ({ dueAt }: Recorded): boolean =>
    Date.parse(dueAt) >= range.from && Date.parse(dueAt) < range.to;
  const findings: Finding[] = [
    ...report.missing.map(({ dueAt }) => ({
      what: 'missing' as const,
      dueAt,
      detail: 'No execution is recorded.',
    })),
    ...report.doubled.map(({ dueAt, executionIds }) => ({
      what: 'doubled' as const,
      dueAt,
      detail: `${executionIds.length} executions are recorded.`,
      ...(executionIds[0] !== undefined && { executionId: executionIds[0] }),
    })),
    ...report.late.map(({ dueAt, executionId, latenessMs, status }) => ({
      what: 'late' as const,
      dueAt,
      detail: `${lengthText(latenessMs)} late, ${status}`,
      executionId,
    })),
    ...executions
      .filter((execution) => execution.status === 'skipped' && isInside(execution))
      .map(({ id, dueAt, reason = 'No reason is recorded.' }) => ({
        what: 'skipped' as const,
        dueAt,
        detail: reason,
        executionId: id,
      })),
    ...report.unexpected.map(({ dueAt, executionId }) => ({
      what: 'not expected' as const,
      dueAt,
      detail: 'The present schedule has no occurrence at this time.',
      executionId,
    })),
  ];
  return findings.sort((a, b) => Date.parse(b.dueAt) - Date.parse(a.dueAt));
}
