// The answers at the top of the overview, one figure each.
import Container from '@cloudscape-design/components/container';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Execution, ExecutionSummary } from '../../../src/client/types.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import type { KnownJobs } from '../../api/use-known-jobs.ts';
import { LATE_MS } from '../../marks/run-strip-geometry.ts';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { countText, type Groups, nextJobs, nextRunNote } from './overview-texts.ts';

interface KeyFiguresProps {
  /** Undefined until they are read. */
  readonly summary: ExecutionSummary | undefined;
  readonly running: { readonly items: readonly Execution[]; readonly nextCursor?: string } | undefined;
  readonly failures: Groups | undefined;
  readonly jobs: KnownJobs | undefined;
}

export function KeyFigures({ summary, running, failures, jobs }: KeyFiguresProps) {
  const failed = failures?.items.reduce((sum, { lastDay }) => sum + lastDay, 0) ?? 0;
  const [next] = nextJobs(jobs?.jobs ?? [], 1);
  return (
    <Container>
      <dl className="key-figures">
        <Figure title="On time?" note="Lateness of starts in the last hour" ready={summary !== undefined}>
          <OnTime summary={summary} />
        </Figure>
        <Figure title="Running now" note="Your executions" ready={running !== undefined}>
          <Link href="/executions?status=running">
            {countText(running?.items.length ?? 0, running?.nextCursor !== undefined)}
          </Link>
        </Figure>
        <Figure title="Failed since yesterday" note="Dead letters of 24 hours" ready={failures !== undefined}>
          {failed === 0 ? (
            <StatusIndicator type="success">none</StatusIndicator>
          ) : (
            <Link href="/dead-letters" className="figure-bad">
              {countText(failed, failures?.truncated ?? false)}
            </Link>
          )}
        </Figure>
        <Figure title="Next run" note={jobs && nextRunNote(next, jobs)} ready={jobs !== undefined}>
          {next?.nextRunAt ? <RelativeTime at={next.nextRunAt} planned /> : '–'}
        </Figure>
      </dl>
    </Container>
  );
}

function OnTime({ summary }: { summary: ExecutionSummary | undefined }) {
  const lateness = summary?.latenessMs;
  if (!lateness) return <span className="quiet">no start</span>;
  return (
    <>
      <span title="p99: 99 of 100 starts were not later than this">{lengthText(lateness.p99)}</span>
      <span className="figure-unit">
        p99, p50 {lengthText(lateness.p50)}{' '}
        <StatusIndicator type={lateness.p99 > LATE_MS ? 'warning' : 'success'}>
          {lateness.p99 > LATE_MS ? 'late' : 'on time'}
        </StatusIndicator>
      </span>
    </>
  );
}

interface FigureProps {
  readonly title: string;
  /** Undefined until it is known. */
  readonly note: string | undefined;
  readonly ready: boolean;
  readonly children: ReactNode;
}

const Figure = ({ title, note, ready, children }: FigureProps) => (
  <div>
    <dt>{title}</dt>
    <dd className="figure-value">{ready ? children : <span className="quiet">–</span>}</dd>
    <dd className="figure-note" title={note}>
      {note}
    </dd>
  </div>
);
