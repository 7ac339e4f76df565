// The explanation of one time: the verdict, the reason, the evidence, and what to do.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Explanation, Job } from '../../../src/client/types.ts';
import { isoIn, isoUtc } from '../../../src/domain/schedule/instant.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { useZone } from '../../parts/zone.tsx';
import { DateTimeControl } from '../edit/schedule/date-time-field.tsx';
import { instantOfField } from '../job/instant-of-field.ts';
import { pageOfEvidence, VERDICT_TEXTS } from './verdict-texts.ts';

interface ExplainPanelProps {
  readonly job: Job;
  /** Absent: the latest time at which the job was due. */
  readonly at: string | undefined;
}

export function ExplainPanel({ job, at }: ExplainPanelProps) {
  const api = useApi();
  const { zone } = useZone();
  const explanation = useLive({
    key: keys.explanation(job.id, at),
    kind: 'object',
    read: (signal) => api.jobs.explain(job.id, at === undefined ? {} : { at }, { signal }),
    isFinal: ({ verdict }) => at !== undefined && VERDICT_TEXTS[verdict].isFinal === true,
  });
  return (
    <Panel
      title="At a time"
      description="The occurrence nearest to the time is explained, if it is at most 60 seconds away. Without a time, it is the latest one."
    >
      <div className="stack">
        <TimeForm key={`${at} ${zone}`} at={at} zone={zone} />
        <Loaded query={explanation} lines={5}>
          {(data) => <Verdict job={job} explanation={data} />}
        </Loaded>
      </div>
    </Panel>
  );
}

function TimeForm({ at, zone }: { at: string | undefined; zone: string }) {
  const [, setParams] = useSearchParams();
  const parsed = at === undefined ? Number.NaN : Date.parse(at);
  const [text, setText] = useState(Number.isNaN(parsed) ? '' : isoIn(zone, parsed).slice(0, 19));
  const instant = instantOfField(text, zone);
  const explain = () =>
    setParams((old) => {
      if (instant.at === undefined) old.delete('at');
      else old.set('at', isoUtc(instant.at));
      return old;
    });
  return (
    <form
      className="why-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (instant.error === undefined) explain();
      }}
    >
      <FormField label="Time" description={`In ${zone}.`} errorText={instant.error}>
        <DateTimeControl label="Time" value={text} zone={zone} onChange={setText} />
      </FormField>
      <Button formAction="submit" disabled={instant.error !== undefined}>
        Explain
      </Button>
    </form>
  );
}

function Verdict({ job, explanation }: { job: Job; explanation: Explanation }) {
  const { verdict, because, dueAt, evidence, next } = explanation;
  const { title, type, advice } = VERDICT_TEXTS[verdict];
  return (
    <section className="why-verdict" aria-label="Explanation">
      <h3 className="why-title">
        <StatusIndicator type={type} /> {title}
      </h3>
      <p className="problem-detail">{because}</p>
      <dl className="why-facts">
        {dueAt !== undefined && (
          <>
            <dt>Explained occurrence</dt>
            <dd>
              <Time at={dueAt} milliseconds />
            </dd>
          </>
        )}
        <dt>What to do</dt>
        <dd>{advice}</dd>
        <dt>Next occurrence</dt>
        <dd>{next === undefined ? 'none' : <Time at={next} />}</dd>
      </dl>
      {evidence.length > 0 && (
        <>
          <Box variant="h4">Evidence</Box>
          <ol className="why-evidence">
            {evidence.map(({ what, at, href }) => (
              <li key={`${at} ${what}`}>
                <Time at={at} milliseconds />
                <span className="problem-detail">
                  {href === undefined ? what : <Link href={pageOfEvidence(href)}>{what}</Link>}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
      <Link href={`/jobs/${job.id}?tab=executions`}>Executions of the job</Link>
    </section>
  );
}
