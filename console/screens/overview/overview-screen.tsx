// The overview: is everything on time, what runs, what failed, what comes next, and what will not run.
import Button from '@cloudscape-design/components/button';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useJobNames, useKnownJobs } from '../../api/use-known-jobs.ts';
import { useLive } from '../../api/use-live.ts';
import { isOperator, useSession } from '../../auth/auth.ts';
import { cliText } from '../../parts/command-text.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { NoJobs } from '../../parts/no-jobs.tsx';
import { Page } from '../../parts/page.tsx';
import { useJobActions } from '../../parts/use-job-actions.tsx';
import { Deployment } from './deployment.tsx';
import { Failures } from './failures.tsx';
import { KeyFigures } from './key-figures.tsx';
import { NextRuns } from './next-runs.tsx';
import { Punctuality } from './punctuality.tsx';
import { RunningNow } from './running-now.tsx';
import { SilentJobs } from './silent-jobs.tsx';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The maximum of the API. The counter says `100+` if there are more. */
const MAX_RUNNING = 100;

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

export default function OverviewScreen() {
  const api = useApi();
  const [, navigate] = useLocation();
  const operator = isOperator(useSession());
  const jobs = useKnownJobs();
  const summary = useLive({
    key: keys.executionSummary('hour'),
    kind: 'statistics',
    read: (signal) => api.executions.summary({ from: ago(HOUR_MS) }, { signal }),
  });
  const running = useLive({
    key: keys.running,
    kind: 'list',
    read: (signal) => api.executions.list({ status: 'running', limit: MAX_RUNNING }, { signal }).page(),
  });
  const failures = useLive({
    key: keys.failuresOfDay,
    kind: 'list',
    read: (signal) => api.deadLetters.groups({ by: 'error', from: ago(DAY_MS) }, { signal }),
  });
  const actions = useJobActions();
  const nameOf = useJobNames(jobs.data);
  const hasNoJobs = jobs.data?.jobs.length === 0 && (failures.data?.items.length === 0 || !operator);
  return (
    <Page
      title="Overview"
      commands={{
        request: { path: '/executions/summary', query: { from: ago(HOUR_MS) } },
        cli: cliText('executions', '--from', '1h'),
      }}
      actions={
        <Button variant="primary" onClick={() => navigate('/jobs/new')}>
          Create job
        </Button>
      }
    >
      <div className="stack">
        {hasNoJobs ? (
          <NoJobs />
        ) : (
          <>
            <KeyFigures
              summary={summary.data}
              running={running.data}
              failures={failures.data}
              jobs={jobs.data}
            />
            <div className="overview-grid">
              <div className="stack">
                <Loaded query={jobs} lines={10}>
                  {(known) => <NextRuns known={known} onRun={(job) => actions.onJobs('run', [job])} />}
                </Loaded>
                <Loaded query={summary} lines={4}>
                  {(data) => <Punctuality summary={data} nameOf={nameOf} />}
                </Loaded>
              </div>
              <div className="stack">
                <Loaded query={failures} lines={4}>
                  {(groups) => <Failures groups={groups} ofAllUsers={operator} />}
                </Loaded>
                <Loaded query={running} lines={3}>
                  {(page) => <RunningNow page={page} nameOf={nameOf} />}
                </Loaded>
                {jobs.data && (
                  <SilentJobs known={jobs.data} onResume={(job) => actions.onJobs('resume', [job])} />
                )}
              </div>
            </div>
          </>
        )}
        {operator && <Deployment />}
      </div>
      {actions.dialog}
    </Page>
  );
}
