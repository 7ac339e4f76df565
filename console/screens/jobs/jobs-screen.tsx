// The list of jobs: filter, order, selection, and actions on many.
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { JobSummary } from '../../../src/client/types.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLiveList } from '../../api/use-live.ts';
import { usePausedWhile } from '../../api/use-pause.ts';
import { isOperator, useSession } from '../../auth/auth.ts';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { filterOf } from '../../parts/filter-tokens.ts';
import { countOfJobs, type JobAction } from '../../parts/job-action-texts.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { NoJobs } from '../../parts/no-jobs.tsx';
import { Page } from '../../parts/page.tsx';
import { RowTable } from '../../parts/row-table.tsx';
import { useJobActions } from '../../parts/use-job-actions.tsx';
import { useSort } from '../../parts/use-sort.ts';
import { BulkBar } from './bulk-bar.tsx';
import { jobColumns, jobHref, jobName } from './job-columns.tsx';
import { bulkOf, jobProperties, jobsQuery, listCommand } from './job-filter.ts';
import { ViewsMenu } from './views-menu.tsx';

const NOTHING: ReadonlySet<string> = new Set();

export default function JobsScreen() {
  const api = useApi();
  const operator = isOperator(useSession());
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const tasks = useQuery({
    queryKey: keys.tasks,
    queryFn: ({ signal }) => api.tasks({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const properties = useMemo(
    () => jobProperties(tasks.data?.map(({ name }) => name) ?? [], operator),
    [tasks.data, operator],
  );
  const filter = filterOf(params, properties);
  const withOwner = filter.owner !== undefined;
  const columns = useMemo(() => jobColumns({ withOwner }), [withOwner]);
  const query = jobsQuery(filter);
  const jobs = useLiveList({
    key: keys.jobs(query),
    read: (cursor, signal) => api.jobs.summaries(query, { signal }).page(cursor),
  });
  const [selected, setSelected] = useState(NOTHING);
  const [wholeFilter, setWholeFilter] = useState(false);
  const actions = useJobActions();
  usePausedWhile(selected.size > 0);

  const clear = () => {
    setSelected(NOTHING);
    setWholeFilter(false);
  };
  // The selection belongs to the list of one filter: an action must not meet jobs that the user has not seen.
  const filterKey = JSON.stringify(filter);
  const [filterOfSelection, setFilterOfSelection] = useState(filterKey);
  if (filterOfSelection !== filterKey) {
    setFilterOfSelection(filterKey);
    clear();
  }
  const act = (action: JobAction) => {
    if (wholeFilter && action !== 'run') return actions.onFilter(bulkOf(action, filter, undefined), clear);
    const chosen = jobs.items.filter(({ id }) => selected.has(id)).map(target);
    actions.onJobs(action, chosen, clear);
  };
  const countText = countOfJobs(jobs.items.length, jobs.hasNextPage);
  const isFiltered = Object.keys(filter).length > 0;
  const order = useSort();
  return (
    <Page
      title="Jobs"
      counter={jobs.data && `(${jobs.items.length}${jobs.hasNextPage ? '+' : ''})`}
      commands={{
        request: {
          path: '/jobs',
          query: { ...filter, view: 'summary', include: 'recent', limit: query.limit as number },
        },
        cli: listCommand(filter),
      }}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <ViewsMenu />
          <Button variant="primary" onClick={() => navigate('/jobs/new')}>
            Create job
          </Button>
        </SpaceBetween>
      }
    >
      <FilterBar
        properties={properties}
        placeholder="Filter by name or property"
        countText={jobs.data ? countText : ''}
      />
      <BulkBar
        selectedCount={selected.size}
        wholeFilter={wholeFilter}
        canSelectFilter={jobs.hasNextPage && selected.size >= jobs.items.length}
        onWholeFilter={() => setWholeFilter(true)}
        onAction={act}
        onClear={clear}
      />
      <Loaded query={jobs} lines={10}>
        {() =>
          jobs.items.length === 0 && !jobs.hasNextPage ? (
            <NoRows isFiltered={isFiltered} onClear={() => setParams({})} />
          ) : (
            <>
              <RowTable<JobSummary>
                label="Jobs"
                columns={columns}
                rows={jobs.items}
                rowId={({ id }) => id}
                rowName={jobName}
                href={jobHref}
                selection={{
                  selected,
                  onChange: (next) => {
                    setSelected(next);
                    setWholeFilter(false);
                  },
                }}
                {...order}
                rowKeys={[
                  { key: 'r', what: 'Run the job now', run: (job) => actions.onJobs('run', [target(job)]) },
                  {
                    key: 'p',
                    what: 'Pause or resume the job',
                    run: (job) => actions.onJobs(job.status === 'paused' ? 'resume' : 'pause', [target(job)]),
                  },
                ]}
              />
              <More list={jobs} what="jobs" />
            </>
          )
        }
      </Loaded>
      {actions.dialog}
    </Page>
  );
}

const target = (job: JobSummary) => ({ id: job.id, name: jobName(job) });

const NoRows = ({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) =>
  isFiltered ? (
    <Empty title="No job matches the filter" action={<Button onClick={onClear}>Clear the filter</Button>}>
      A name filter matches the beginning of the name.
    </Empty>
  ) : (
    <NoJobs />
  );
