// The dead letters of one group: redrive one, those selected, all, or one first and then the rest.
import Button from '@cloudscape-design/components/button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Execution } from '../../../src/client/types.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useJobNames, useKnownJobs } from '../../api/use-known-jobs.ts';
import { useLiveList } from '../../api/use-live.ts';
import { usePausedWhile } from '../../api/use-pause.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';
import { cliText } from '../../parts/command-text.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { RowTable } from '../../parts/row-table.tsx';
import { useSort } from '../../parts/use-sort.ts';
import { countOfDeadLetters, redriveText } from './dead-letter-texts.ts';
import { executionColumns } from './execution-columns.tsx';
import { Trial } from './trial.tsx';
import { useDeadLetterActions } from './use-dead-letter-actions.tsx';

interface GroupPageProps {
  readonly errorKey: string | undefined;
  readonly jobId: string | undefined;
}

const NOTHING: ReadonlySet<string> = new Set();

export function GroupPage({ errorKey, jobId }: GroupPageProps) {
  const api = useApi();
  const [params] = useSearchParams();
  const owner = params.get('owner') ?? undefined;
  const query = {
    ...(errorKey !== undefined && { errorKey }),
    ...(jobId !== undefined && { jobId }),
    ...(owner !== undefined && { owner }),
    limit: 100,
  };
  const list = useLiveList({
    key: keys.deadLetters(query),
    read: (cursor, signal) => api.deadLetters.list(query, { signal }).page(cursor),
  });
  const executions = newestFirst(list.items);
  // Pages that are not loaded are read before an action on the whole group, so that its dialog says how many.
  const group = useMutation({
    mutationFn: async () => {
      if (!list.hasNextPage) return executions;
      const all: Execution[] = [];
      for await (const execution of api.deadLetters.list(query)) all.push(execution);
      return newestFirst(all);
    },
  });
  const redriveAll = () => group.mutate(undefined, { onSuccess: (all) => actions.onRedrive(all, clear) });
  const redriveRest = (first: string) =>
    group.mutate(undefined, {
      onSuccess: (all) => {
        setTrial(undefined);
        const rest = all.filter(({ id }) => id !== first);
        actions.onRedrive(rest, clear, { asks: false });
      },
    });
  const nameOfJob = useJobNames(useKnownJobs(owner).data);
  const [selected, setSelected] = useState(NOTHING);
  const [trial, setTrial] = useState<string>();
  const actions = useDeadLetterActions();
  const order = useSort();
  usePausedWhile(selected.size > 0);
  const clear = () => setSelected(NOTHING);
  const chosen = executions.filter(({ id }) => selected.has(id));
  const [newest] = executions;
  useShortcuts([
    {
      keys: 'R',
      what: 'Redrive',
      run: () => (chosen.length > 0 ? actions.onRedrive(chosen, clear) : redriveAll()),
    },
  ]);
  return (
    <Page
      title="Dead letters"
      counter={list.data && `(${executions.length}${list.hasNextPage ? '+' : ''})`}
      description={<Subject newest={newest} jobId={jobId} nameOfJob={nameOfJob} />}
      commands={{
        request: { path: '/dead-letters', query },
        cli: cliText(
          'dead-letters',
          ...(errorKey === undefined ? [] : ['--error', errorKey]),
          ...(jobId === undefined ? [] : ['--job', jobId]),
          ...(owner === undefined ? [] : ['--owner', owner]),
        ),
      }}
      actions={
        newest && (
          <>
            <Button disabled={trial !== undefined} onClick={() => setTrial(newest.id)}>
              One first, then the rest
            </Button>
            <Button variant="primary" loading={group.isPending} onClick={redriveAll}>
              {redriveText(executions.length, list.hasNextPage)}
            </Button>
          </>
        )
      }
    >
      {trial !== undefined && (
        <Trial
          id={trial}
          rest={executions.filter(({ id }) => id !== trial).length}
          hasMore={list.hasNextPage}
          isReading={group.isPending}
          onRest={() => redriveRest(trial)}
          onEnd={() => setTrial(undefined)}
        />
      )}
      {group.error && <Problem error={group.error} />}
      {chosen.length > 0 && (
        <section className="bulk-bar" aria-label="Selected executions">
          <strong role="status">{countOfDeadLetters(chosen.length)} selected</strong>
          <Button onClick={() => actions.onRedrive(chosen, clear)}>Redrive</Button>
          <Button onClick={() => actions.onDismiss(chosen, clear)}>Dismiss</Button>
          <Button variant="inline-link" onClick={clear}>
            Clear the selection
          </Button>
        </section>
      )}
      <Loaded query={list} lines={6}>
        {() =>
          executions.length === 0 && !list.hasNextPage ? (
            <Empty title="This group is empty" action={<Link href="/dead-letters">All dead letters</Link>}>
              Its executions were redriven or dismissed.
            </Empty>
          ) : (
            <>
              <RowTable<Execution>
                label="Dead letters of the group"
                columns={executionColumns(nameOfJob)}
                rows={executions}
                rowId={({ id }) => id}
                rowName={({ id }) => id}
                href={({ id }) => `/executions/${id}`}
                {...order}
                selection={{ selected, onChange: setSelected }}
              />
              <More list={list} what="executions" />
            </>
          )
        }
      </Loaded>
      {actions.dialog}
    </Page>
  );
}

/** The API returns the dead letters of all users in no order. */
const newestFirst = (executions: readonly Execution[]): readonly Execution[] =>
  executions.toSorted((a, b) => Date.parse(b.dueAt) - Date.parse(a.dueAt));

interface SubjectProps {
  readonly newest: Execution | undefined;
  readonly jobId: string | undefined;
  readonly nameOfJob: (jobId: string) => string;
}

function Subject({ newest, jobId, nameOfJob }: SubjectProps) {
  return (
    <>
      <Link href="/dead-letters">All groups</Link>
      {jobId !== undefined && (
        <>
          {' · '}
          <Link href={`/jobs/${jobId}`}>{nameOfJob(jobId)}</Link>
        </>
      )}
      {jobId === undefined && newest?.error && ` · ${newest.error.name}: ${newest.error.message}`}
    </>
  );
}
