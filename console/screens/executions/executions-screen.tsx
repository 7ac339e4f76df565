// The executions of all jobs: filter, order, and following.
import Button from '@cloudscape-design/components/button';
import Select from '@cloudscape-design/components/select';
import Toggle from '@cloudscape-design/components/toggle';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Execution } from '../../../src/client/types.ts';
import { useJobNames, useKnownJobs } from '../../api/use-known-jobs.ts';
import { isOperator, useSession } from '../../auth/auth.ts';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { type Filter, filterOf } from '../../parts/filter-tokens.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { RowTable } from '../../parts/row-table.tsx';
import { useSort } from '../../parts/use-sort.ts';
import { executionColumns } from './execution-columns.tsx';
import {
  executionProperties,
  jobIdOf,
  listCommand,
  listRequest,
  RANGES,
  type Range,
  rangeOf,
} from './execution-filter.ts';
import { useExecutions } from './use-executions.ts';

export default function ExecutionsScreen() {
  const operator = isOperator(useSession());
  const [params, setParams] = useSearchParams();
  const known = useKnownJobs(params.get('owner') ?? undefined);
  const properties = useMemo(
    () => executionProperties(known.data?.jobs.flatMap(({ name }) => name ?? []) ?? [], operator),
    [known.data, operator],
  );
  const shown = filterOf(params, properties);
  const job = jobIdOf(shown, known.data?.jobs ?? []);
  const filter: Filter = { ...shown, ...(job !== undefined && { job }) };
  const range = rangeOf(params.get('range'));
  const follow = params.get('follow') === '1';
  // The name of a job in the address becomes an id when the jobs are known.
  const isReady = job === undefined || known.data !== undefined || known.error !== null;
  const { list, followed } = useExecutions({ filter, range, follow, enabled: isReady });
  const rows = follow ? (followed.data ?? []) : list.items;
  const hasMore = !follow && list.hasNextPage;
  const set = (name: string, value: string | undefined) =>
    setParams((old) => {
      if (value === undefined) old.delete(name);
      else old.set(name, value);
      return old;
    });
  const nameOf = useJobNames(known.data);
  const withOwner = operator && (filter.owner ?? filter.workerId) !== undefined;
  const columns = useMemo(() => executionColumns({ nameOf, withOwner }), [nameOf, withOwner]);
  const isFiltered = Object.keys(filter).length > 0 || range !== 'any';
  const order = useSort();
  const count = `${rows.length}${hasMore ? '+' : ''}`;
  const loaded: { data: unknown; error: unknown; refetch: () => unknown } = follow ? followed : list;
  return (
    <Page
      title="Executions"
      counter={loaded.data === undefined ? undefined : `(${count})`}
      commands={{
        request: listRequest(filter, range, Date.now()),
        cli: listCommand(filter, range),
      }}
    >
      <div className="filter-line">
        <FilterBar
          properties={properties}
          placeholder="Filter by status, job, time or worker"
          countText={loaded.data ? `${count} ${rows.length === 1 ? 'execution' : 'executions'}` : ''}
        />
        <Select
          ariaLabel="Due time"
          selectedOption={{ value: range, label: RANGES[range].title }}
          options={Object.entries(RANGES).map(([value, { title }]) => ({ value, label: title }))}
          disabled={filter.from !== undefined}
          onChange={({ detail }) => {
            const next = rangeOf(detail.selectedOption.value ?? null) satisfies Range;
            set('range', next === 'any' ? undefined : next);
          }}
        />
        <Toggle checked={follow} onChange={({ detail }) => set('follow', detail.checked ? '1' : undefined)}>
          Follow
        </Toggle>
      </div>
      <Loaded query={loaded} lines={10}>
        {() =>
          rows.length === 0 && !hasMore ? (
            <NoRows
              isFiltered={isFiltered}
              follow={follow}
              onClear={() => setParams(follow ? { follow: '1' } : {})}
            />
          ) : (
            <>
              <RowTable<Execution>
                label="Executions"
                columns={columns}
                rows={rows}
                rowId={({ id }) => id}
                rowName={({ id }) => id}
                href={({ id }) => `/executions/${id}`}
                {...order}
              />
              {!follow && <More list={list} what="executions" />}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface NoRowsProps {
  readonly isFiltered: boolean;
  readonly follow: boolean;
  readonly onClear: () => void;
}

const NoRows = ({ isFiltered, follow, onClear }: NoRowsProps) =>
  isFiltered ? (
    <Empty
      title="No execution matches the filter"
      action={<Button onClick={onClear}>Clear the filter</Button>}
    >
      {follow ? 'New executions that match it will appear here.' : 'The time of the filter is the due time.'}
    </Empty>
  ) : (
    <Empty title="Nothing has run yet" action={<Link href="/jobs/new">Create a job</Link>}>
      An execution appears here when a job is due or is run by hand. Executions are kept for a limited time.
    </Empty>
  );
