// The tray at the bottom of the page: progress, stop, and the refusals of each task.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useValue } from '../state/use-value.ts';
import { dismiss, dismissFinished, hasTaskOfPage, type Refusal, type TrayTask, tray } from './tray.ts';

/** Tasks without refusals leave the tray after this time. */
const DISMISS_AFTER_MS = 8_000;

export function TrayView() {
  const tasks = useValue(tray);
  useEffect(() => {
    if (!tasks.some(({ state }) => state === 'done')) return;
    const timer = setTimeout(dismissFinished, DISMISS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [tasks]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (hasTaskOfPage()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  if (tasks.length === 0) return null;
  return (
    <section className="tray" aria-label="Tasks">
      {tasks.map((task) => (
        <TrayEntry key={task.id} task={task} />
      ))}
    </section>
  );
}

function TrayEntry({ task }: { task: TrayTask }) {
  const { id, title, state, done, total, counting, refusedCount, refused, reason, link, stop } = task;
  const isRunning = state === 'running' || state === 'stopping';
  return (
    <article className="tray-task">
      <div className="tray-head">
        <strong>{title}</strong>
        {isRunning ? (
          <Button
            variant="inline-link"
            disabled={state === 'stopping'}
            onClick={stop}
            ariaLabel={`Stop: ${title}`}
          >
            {state === 'stopping' ? 'Stopping' : 'Stop'}
          </Button>
        ) : (
          <Button
            variant="inline-icon"
            iconName="close"
            ariaLabel={`Dismiss: ${title}`}
            onClick={() => dismiss(id)}
          />
        )}
      </div>
      {isRunning && (
        <ProgressBar
          value={total === 0 ? 0 : (done / total) * 100}
          ariaLabel={title}
          additionalInfo={`${done} of ${total}${counting ? '+' : ''}`}
        />
      )}
      <div role="status">{!isRunning && <Outcome task={task} />}</div>
      {link && state === 'done' && refusedCount === 0 && <Link href={link.href}>{link.text}</Link>}
      {reason !== undefined && <Box color="text-body-secondary">{reason}</Box>}
      {refused.length > 0 && <Refusals refused={refused} count={refusedCount} />}
    </article>
  );
}

function Outcome({ task: { state, done, total, refusedCount } }: { task: TrayTask }) {
  if (state === 'failed') return <StatusIndicator type="error">Failed</StatusIndicator>;
  const succeeded = Math.max(0, done - refusedCount);
  const text = `${succeeded} of ${total} done${refusedCount > 0 ? `, ${refusedCount} refused` : ''}`;
  if (state === 'stopped') return <StatusIndicator type="stopped">Stopped: {text}</StatusIndicator>;
  return <StatusIndicator type={refusedCount > 0 ? 'warning' : 'success'}>{text}</StatusIndicator>;
}

const Refusals = ({ refused, count }: { refused: readonly Refusal[]; count: number }) => (
  <ExpandableSection headerText={`Refused (${count})`} defaultExpanded={count <= 3}>
    <ul className="tray-refusals">
      {refused.map(({ id, name, href, reason }) => (
        <li key={id}>
          {href ? <Link href={href}>{name}</Link> : name}: {reason}
        </li>
      ))}
    </ul>
    {count > refused.length && <Box color="text-body-secondary">The first {refused.length} are listed.</Box>}
  </ExpandableSection>
);
