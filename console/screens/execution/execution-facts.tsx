// The facts of an execution in one row: status, trigger, lateness, duration, worker.
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { Link } from 'wouter';
import { type Execution, hasEnded } from '../../../src/client/client.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { isOperator, useSession } from '../../auth/auth.ts';
import { Id } from '../../parts/id.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { TRIGGER_TEXTS } from './execution-texts.ts';

interface ExecutionFactsProps {
  readonly execution: Execution;
  readonly now: number;
}

export function ExecutionFacts({ execution, now }: ExecutionFactsProps) {
  const { status, trigger, latenessMs, fireAt, dueAt, owner, stopping, reason, dismissed } = execution;
  return (
    <Panel>
      <KeyValuePairs
        columns={4}
        items={[
          {
            label: 'Status',
            value: (
              <>
                <Status status={status} />
                {stopping && ' – asked to stop'}
                {dismissed && ' – dismissed'}
              </>
            ),
          },
          { label: 'Trigger', value: TRIGGER_TEXTS[trigger] },
          { label: 'Lateness', value: latenessMs === undefined ? '–' : lengthText(latenessMs) },
          { label: hasEnded(execution) ? 'Duration' : 'Running for', value: durationText(execution, now) },
          ...(reason === undefined
            ? []
            : [
                {
                  label: 'Reason',
                  value: (
                    <>
                      {reason}{' '}
                      <Link href={`/jobs/${execution.jobId}/why?at=${encodeURIComponent(dueAt)}`}>Why</Link>
                    </>
                  ),
                },
              ]),
          ...(fireAt === dueAt
            ? []
            : [
                {
                  label: trigger === 'backfill' ? 'Requested' : 'Fire time',
                  value: <Time at={fireAt} milliseconds />,
                },
              ]),
          ...(execution.nextAttemptAt === undefined
            ? []
            : [{ label: 'Next attempt', value: <Time at={execution.nextAttemptAt} milliseconds /> }]),
          {
            label: 'Worker',
            value: <WorkerName execution={execution} />,
          },
          ...(owner === undefined ? [] : [{ label: 'Owner', value: owner }]),
        ]}
      />
    </Panel>
  );
}

function WorkerName({ execution: { workerId } }: { execution: Execution }) {
  const session = useSession();
  if (workerId === undefined) return <>–</>;
  return (
    <>
      <Id id={workerId} what="worker id" />
      {isOperator(session) && (
        <div>
          <Link href={`/executions?workerId=${encodeURIComponent(workerId)}`}>What it runs now</Link>
        </div>
      )}
    </>
  );
}

function durationText({ status, durationMs, timeline }: Execution, now: number): string {
  if (durationMs !== undefined) return lengthText(durationMs);
  const { startedAt } = timeline;
  return status === 'running' && startedAt !== undefined
    ? lengthText(Math.max(now - Date.parse(startedAt), 0))
    : '–';
}
