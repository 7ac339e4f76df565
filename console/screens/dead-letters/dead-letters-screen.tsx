// Dead letters: executions whose last attempt failed. They are shown in groups by error or by job, and one group at a time.
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import { useLocation, useSearchParams } from 'wouter';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useJobNames, useKnownJobs } from '../../api/use-known-jobs.ts';
import { useLive } from '../../api/use-live.ts';
import { isOperator, useSession } from '../../auth/auth.ts';
import { cliText } from '../../parts/command-text.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { RowTable } from '../../parts/row-table.tsx';
import { useSort } from '../../parts/use-sort.ts';
import { countOfDeadLetters } from './dead-letter-texts.ts';
import { errorText, type Group, groupColumns } from './group-columns.tsx';
import { GroupPage } from './group-page.tsx';
import { OwnerChoice } from './owner-choice.tsx';

export default function DeadLettersScreen() {
  const [params] = useSearchParams();
  const error = params.get('error') ?? undefined;
  const job = params.get('job') ?? undefined;
  if (error !== undefined || job !== undefined)
    return <GroupPage key={`${error} ${job}`} errorKey={error} jobId={job} />;
  return <Groups />;
}

function Groups() {
  const api = useApi();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const operator = isOperator(useSession());
  const by = params.get('by') === 'job' ? 'job' : 'error';
  const owner = params.get('owner') ?? undefined;
  const query = { by, ...(owner !== undefined && { owner }) } as const;
  const groups = useLive({
    key: keys.deadLetterGroups(query),
    kind: 'list',
    read: (signal) => api.deadLetters.groups(query, { signal }),
  });
  const nameOfJob = useJobNames(useKnownJobs(owner, by === 'job').data);
  const order = useSort();
  const total = groups.data?.items.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const hrefOf = ({ key }: Group) => {
    const address = new URLSearchParams({ [by]: key, ...(owner !== undefined && { owner }) });
    return `/dead-letters?${address}`;
  };
  return (
    <Page
      title="Dead letters"
      counter={groups.data && `(${total}${groups.data.truncated ? '+' : ''})`}
      description="Executions whose last attempt failed. Redrive them after the cause is mended, or dismiss them."
      commands={{
        request: { path: '/dead-letters/groups', query },
        cli: cliText('dead-letters', '--by', by, ...(owner === undefined ? [] : ['--owner', owner])),
      }}
    >
      <div className="toolbar">
        <SegmentedControl
          label="Group by"
          selectedId={by}
          options={[
            { id: 'error', text: 'By error' },
            { id: 'job', text: 'By job' },
          ]}
          onChange={({ detail }) =>
            setParams((old) => {
              old.set('by', detail.selectedId);
              return old;
            })
          }
        />
        {operator && <OwnerChoice />}
      </div>
      <Loaded query={groups} lines={6}>
        {({ items, truncated, lookedAt }) =>
          items.length === 0 ? (
            <Empty title="No dead letters">
              An execution comes here when its last attempt has failed. Retries are not counted.
            </Empty>
          ) : (
            <>
              <RowTable<Group>
                label="Groups of dead letters"
                columns={groupColumns({ by, hrefOf, nameOfJob })}
                rows={items}
                rowId={({ key }) => key}
                rowName={errorText}
                href={hrefOf}
                {...order}
                rowKeys={[
                  { key: 'R', what: 'Open the group to redrive it', run: (group) => navigate(hrefOf(group)) },
                ]}
              />
              {truncated && (
                <p className="quiet">
                  The newest {countOfDeadLetters(lookedAt)} were looked at, and the {items.length} largest
                  groups are shown. There are more.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
