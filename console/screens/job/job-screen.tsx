// One job: its schedule and next run, what it did, what it will do, its changes and its definition.
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { useParams, useSearchParams } from 'wouter';
import type { Job } from '../../../src/client/types.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { cliText } from '../../parts/command-text.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { scheduleText } from '../../parts/schedule-text.ts';
import { useJobZone } from '../../parts/zone.tsx';
import { JobActions } from './job-actions.tsx';
import { JobChanges } from './job-changes.tsx';
import { JobDefinition } from './job-definition.tsx';
import { JobExecutions } from './job-executions.tsx';
import { JobFacts } from './job-facts.tsx';
import { JobNeighbours } from './job-neighbours.tsx';
import { JobOverview } from './job-overview.tsx';
import { PausedAlert } from './paused-alert.tsx';

export default function JobScreen() {
  const { id = '' } = useParams();
  const api = useApi();
  const job = useLive({
    key: keys.job(id),
    kind: 'object',
    read: (signal) => api.jobs.get(id, { signal }),
  });
  useJobZone(job.data && (job.data.schedule.timezone ?? 'UTC'));
  return (
    <Page
      title={job.data?.name ?? (job.data ? id : 'Job')}
      description={job.data && scheduleText(job.data.schedule)}
      commands={{ request: { path: `/jobs/${id}` }, cli: cliText('show', id) }}
      actions={
        // While the next job is read, the page has the data of the one before.
        job.data?.id === id && (
          <SpaceBetween direction="horizontal" size="xs">
            <JobNeighbours id={id} />
            <JobActions job={job.data} />
          </SpaceBetween>
        )
      }
    >
      <Loaded query={job} lines={12}>
        {(data) => <Content key={data.id} job={data} />}
      </Loaded>
    </Page>
  );
}

const TABS = ['overview', 'executions', 'changes', 'definition'] as const;
type Tab = (typeof TABS)[number];
/** Parameters that belong to one tab, so they go with it. */
const OF_TABS = ['status', 'from', 'to', 'follow', 'sort'];

function Content({ job }: { job: Job }) {
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((name) => name === params.get('tab')) ?? 'overview';
  const open = (next: Tab) =>
    setParams((old) => {
      for (const name of OF_TABS) old.delete(name);
      if (next === 'overview') old.delete('tab');
      else old.set('tab', next);
      return old;
    });
  return (
    <div className="stack">
      {job.status === 'paused' && <PausedAlert job={job} />}
      <JobFacts job={job} />
      <Tabs
        ariaLabel="Parts of the job"
        activeTabId={tab}
        onChange={({ detail }) => open(detail.activeTabId as Tab)}
        tabs={[
          { id: 'overview', label: 'Overview', content: tab === 'overview' && <JobOverview job={job} /> },
          {
            id: 'executions',
            label: 'Executions',
            content: tab === 'executions' && <JobExecutions job={job} />,
          },
          { id: 'changes', label: 'Changes', content: tab === 'changes' && <JobChanges id={job.id} /> },
          {
            id: 'definition',
            label: 'Definition',
            content: tab === 'definition' && <JobDefinition job={job} />,
          },
        ]}
      />
    </div>
  );
}
