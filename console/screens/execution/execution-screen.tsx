// One execution: when it was due, what happened in each attempt, its result or error, and its log lines.
import { useEffect, useState } from 'react';
import { Link, useParams } from 'wouter';
import { type Execution, hasEnded, type Job } from '../../../src/client/client.ts';
import { parseExecutionId } from '../../../src/domain/executions/ids.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { WaterfallMark } from '../../marks/waterfall.tsx';
import { cliText } from '../../parts/command-text.ts';
import { Id } from '../../parts/id.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Payload } from '../../parts/payload.tsx';
import { Time } from '../../parts/time.tsx';
import { useJobZone } from '../../parts/zone.tsx';
import { Attempts } from './attempts.tsx';
import { ExecutionActions } from './execution-actions.tsx';
import { ExecutionFacts } from './execution-facts.tsx';
import { Failure } from './failure.tsx';
import { LogLines } from './log-lines.tsx';
import { Neighbours } from './neighbours.tsx';
import { Progress } from './progress.tsx';

export default function ExecutionScreen() {
  const { id = '' } = useParams();
  const api = useApi();
  const jobId = parseExecutionId(id)?.jobId ?? '';
  const execution = useLive({
    key: keys.execution(id),
    kind: 'object',
    read: (signal) => api.executions.get(id, { signal }),
    isFinal: hasEnded,
  });
  const job = useLive({
    key: keys.job(jobId),
    kind: 'list',
    read: (signal) => api.jobs.get(jobId, { signal }),
    enabled: jobId !== '',
  });
  useJobZone(job.data && (job.data.schedule.timezone ?? 'UTC'));
  return (
    <Page
      title="Execution"
      description={<Subject execution={execution.data} job={job.data} jobId={jobId} />}
      commands={{ request: { path: `/executions/${id}` }, cli: cliText('show', id) }}
      actions={
        <>
          <Neighbours id={id} jobId={jobId} />
          {/* While the next execution is read, the page has the data of the one before. */}
          {execution.data?.id === id && <ExecutionActions key={id} execution={execution.data} />}
        </>
      }
    >
      <Loaded query={execution}>{(data) => <Content execution={data} />}</Loaded>
    </Page>
  );
}

interface SubjectProps {
  readonly execution: Execution | undefined;
  readonly job: Job | undefined;
  readonly jobId: string;
}

const Subject = ({ execution, job, jobId }: SubjectProps) =>
  jobId !== '' && (
    <>
      of <Link href={`/jobs/${jobId}`}>{job?.name ?? jobId}</Link>
      {execution && (
        <>
          , due <Time at={execution.dueAt} milliseconds />
          <div>
            <Id id={execution.id} what="execution id" />
          </div>
        </>
      )}
    </>
  );

function Content({ execution }: { execution: Execution }) {
  const now = useNow(!hasEnded(execution));
  const { result, params } = execution;
  return (
    <div className="stack">
      <ExecutionFacts execution={execution} now={now} />
      {execution.progress && <Progress progress={execution.progress} />}
      <Failure execution={execution} />
      {execution.timeline.enqueuedAt !== undefined || execution.attempts ? (
        <Panel title="Timeline" description="Zero is the time at which the execution was due.">
          <WaterfallMark execution={execution} now={now} />
        </Panel>
      ) : null}
      {execution.attempts && execution.attempts.length > 0 && (
        <Panel
          title="Attempts"
          counter={`(${execution.attempt} of ${execution.maxAttempts})`}
          description={execution.attempts.length < execution.attempt && 'The last five are kept.'}
        >
          <Attempts execution={execution} />
        </Panel>
      )}
      {result !== undefined && (
        <Panel title="Result">
          <Payload what="result" value={result} />
        </Panel>
      )}
      {params !== undefined && (
        <Panel title="Params of this run" description="They replaced the params of the job.">
          <Payload what="params" value={params} />
        </Panel>
      )}
      <LogLines execution={execution} />
    </div>
  );
}

const TICK_MS = 1000;

/** The present, every second while something lasts. */
function useNow(ticks: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}
