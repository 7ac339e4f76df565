// The lines that the task has logged, read again while the execution runs.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { Fragment } from 'react';
import { type Execution, hasEnded, type LogLine } from '../../../src/client/client.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLiveList } from '../../api/use-live.ts';
import { useSession } from '../../auth/auth.ts';
import { More } from '../../parts/more.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Problem } from '../../parts/problem.tsx';
import { timeText } from '../../parts/time-text.ts';
import { useZone } from '../../parts/zone.tsx';

export function LogLines({ execution }: { execution: Execution }) {
  const { id } = execution;
  const api = useApi();
  const { config } = useSession();
  const hasStarted = execution.attempts !== undefined;
  const lines = useLiveList({
    key: keys.logLines(id),
    read: (cursor, signal) => api.executions.logs(id, { limit: 100, cursor }, { signal }),
    enabled: hasStarted,
    isFinal: (last) => last.complete,
  });
  const { zone } = useZone();
  const logsUrl = config.logsUrl?.replace('{executionId}', encodeURIComponent(id));
  if (!hasStarted) return null;
  return (
    <Panel
      title="Log lines"
      description={`Lines that the task wrote. Times are in ${zone}.`}
      actions={
        logsUrl && (
          <Button href={logsUrl} target="_blank" iconName="external" iconAlign="right">
            Open in CloudWatch
          </Button>
        )
      }
    >
      {lines.error !== null && lines.items.length === 0 ? (
        <Problem error={lines.error} onRetry={() => void lines.refetch()} />
      ) : lines.items.length === 0 ? (
        <Box color="text-body-secondary">
          {hasEnded(execution) ? 'The task logged nothing.' : 'The task has logged nothing yet.'}
        </Box>
      ) : (
        <Lines lines={lines.items} zone={zone} />
      )}
      <More list={lines} what="lines" />
    </Panel>
  );
}

function Lines({ lines, zone }: { lines: readonly LogLine[]; zone: string }) {
  const hasAttempts = lines.some(({ attempt }) => attempt !== lines[0]?.attempt);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus
    <section className="log-lines" tabIndex={0} aria-label="Log lines">
      {lines.map(({ id, at, level, message, fields, attempt }, index) => (
        <Fragment key={id}>
          {hasAttempts && attempt !== lines[index - 1]?.attempt && (
            <div className="log-attempt">Attempt {attempt}</div>
          )}
          <div className={`log-line log-${level}`}>
            <time dateTime={at} title={at}>
              {timeText(Date.parse(at), zone, { milliseconds: true }).time}
            </time>
            <span className="log-level">{level}</span>
            <span className="log-message">
              {message}
              {fields && <span className="log-fields"> {JSON.stringify(fields)}</span>}
            </span>
          </div>
        </Fragment>
      ))}
    </section>
  );
}
