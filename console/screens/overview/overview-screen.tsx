// The overview: is everything on time, what runs, what failed, what comes next, and what will not run.
import Button from '@cloudscape-design/components/button';
import Tabs from '@cloudscape-design/components/tabs';
import { useLocation, useSearchParams } from 'wouter';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useDeadLetterGroups } from '../../api/use-dead-letter-groups.ts';
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
import { failuresOfDay } from './overview-texts.ts';
import { Punctuality } from './punctuality.tsx';
import { RunningNow } from './running-now.tsx';
import { SilentJobs } from './silent-jobs.tsx';

const HOUR_MS = 3_600_000;
/** The maximum of the API. The counter says `100+` if there are more. */
const MAX_RUNNING = 100;

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

export default function OverviewScreen() {
  const [, navigate] = useLocation();
  const operator = isOperator(useSession());
  const [params, setParams] = useSearchParams();
  const tab = operator && params.get('tab') === 'deployment' ? 'deployment' : 'own';
  const commands =
    tab === 'own'
      ? {
          request: { path: '/executions/summary', query: { from: ago(HOUR_MS) } },
          cli: cliText('executions', '--from', '1h'),
        }
      : { request: { path: '/system' }, cli: cliText('system') };
  return (
    <Page
      title="Overview"
      commands={commands}
      actions={
        <Button variant="primary" onClick={() => navigate('/jobs/new')}>
          Create job
        </Button>
      }
    >
      {operator ? (
        // Only the open tab reads its data, so that no page makes more than four requests.
        <Tabs
          ariaLabel="Parts of the overview"
          activeTabId={tab}
          onChange={({ detail }) => setParams(detail.activeTabId === 'own' ? {} : { tab: 'deployment' })}
          tabs={[
            { id: 'own', label: 'Your jobs', content: tab === 'own' && <OwnJobs operator /> },
            {
              id: 'deployment',
              label: 'Deployment',
              content: tab === 'deployment' && <Deployment />,
            },
          ]}
        />
      ) : (
        <OwnJobs />
      )}
    </Page>
  );
}

/** `operator`: the dead letters are those of all users. */
function OwnJobs({ operator = false }: { operator?: boolean }) {
  const api = useApi();
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
  const groups = useDeadLetterGroups();
  const failures = { ...groups, data: groups.data && failuresOfDay(groups.data) };
  const actions = useJobActions();
  const nameOf = useJobNames(jobs.data);
  const hasNoJobs = jobs.data?.jobs.length === 0 && (failures.data?.items.length === 0 || !operator);
  return (
    <>
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
      </div>
      {actions.dialog}
    </>
  );
}
