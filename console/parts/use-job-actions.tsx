// Run, pause, resume and cancel of jobs: a dialog that says how many, and then a task in the tray.
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { BulkChange, PunctualClient } from '../../src/client/client.ts';
import { useApi } from '../api/api.ts';
import { keys } from '../api/keys.ts';
import { startEach, startOperation, type TrayItem } from '../tray/tray.ts';
import { Confirm } from './confirm.tsx';
import { ACTION_TEXTS, actionTitle, countOfJobs, type JobAction } from './job-action-texts.ts';
import { Problem } from './problem.tsx';

export interface JobTarget {
  readonly id: string;
  readonly name: string;
}

type Request =
  | { readonly kind: 'jobs'; readonly action: JobAction; readonly jobs: readonly JobTarget[] }
  | { readonly kind: 'filter'; readonly action: BulkChange['action']; readonly change: BulkChange };

export interface JobActions {
  /** One job or several, by their ids. */
  readonly onJobs: (action: JobAction, jobs: readonly JobTarget[], after?: () => void) => void;
  /** All jobs of a filter, by a background operation of the server. */
  readonly onFilter: (change: BulkChange, after?: () => void) => void;
  /** The dialog. The screen renders it. */
  readonly dialog: ReactNode;
}

export function useJobActions(): JobActions {
  const api = useApi();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<{ request: Request; after: () => void }>();
  const start = (request: Request, note: string | undefined) =>
    void carryOut(api, request, note, () => {
      void queryClient.invalidateQueries({ queryKey: keys.allJobs });
      if (request.kind === 'jobs')
        for (const { id } of request.jobs) void queryClient.invalidateQueries({ queryKey: keys.ofJob(id) });
    });
  return {
    onJobs: (action, jobs, after = () => {}) => {
      const request: Request = { kind: 'jobs', action, jobs };
      if (jobs.length === 0) return;
      if (jobs.length > 1 || ACTION_TEXTS[action].asks) return setAsked({ request, after });
      start(request, undefined);
      after();
    },
    onFilter: (change, after = () => {}) =>
      setAsked({ request: { kind: 'filter', action: change.action, change }, after }),
    dialog: asked && (
      <JobDialog
        request={asked.request}
        onDismiss={() => setAsked(undefined)}
        onConfirm={(note) => {
          setAsked(undefined);
          start(asked.request, note);
          asked.after();
        }}
      />
    ),
  };
}

interface DialogProps {
  readonly request: Request;
  readonly onConfirm: (note: string | undefined) => void;
  readonly onDismiss: () => void;
}

function JobDialog({ request, onConfirm, onDismiss }: DialogProps) {
  const api = useApi();
  const matched = useQuery({
    queryKey: ['bulk dry run', request],
    queryFn: () => (request.kind === 'filter' ? api.jobs.bulkDryRun(request.change) : null),
    enabled: request.kind === 'filter',
    gcTime: 0,
  });
  const { action } = request;
  const count = request.kind === 'jobs' ? request.jobs.length : matched.data?.matched;
  const subject = subjectOf(request, count, matched.data?.counting);
  return (
    <Confirm
      title={`${actionTitle(action, subject)}?`}
      confirmText={actionTitle(action, count === 1 ? 'job' : 'jobs')}
      withNote={action === 'pause' || action === 'cancel'}
      disabled={count === undefined || count === 0}
      onConfirm={onConfirm}
      onDismiss={onDismiss}
    >
      <Box>{ACTION_TEXTS[action].effect}</Box>
      {action === 'cancel' && <Alert type="warning">A cancelled job cannot be resumed.</Alert>}
      {matched.error && <Problem error={matched.error} onRetry={() => void matched.refetch()} />}
      {count === 0 && <Box>No job of this filter is in a status that this action changes.</Box>}
      {request.kind === 'jobs' && request.jobs.length > 1 && <Names jobs={request.jobs} />}
    </Confirm>
  );
}

function subjectOf(request: Request, count: number | undefined, counting = false): string {
  const [first] = request.kind === 'jobs' ? request.jobs : [];
  if (first && count === 1) return first.name;
  return count === undefined ? 'jobs' : countOfJobs(count, counting);
}

const MAX_NAMES = 8;

const Names = ({ jobs }: { jobs: readonly JobTarget[] }) => (
  <ul className="names">
    {jobs.slice(0, MAX_NAMES).map(({ id, name }) => (
      <li key={id}>{name}</li>
    ))}
    {jobs.length > MAX_NAMES && <li>and {jobs.length - MAX_NAMES} more</li>}
  </ul>
);

function carryOut(
  api: PunctualClient,
  request: Request,
  note: string | undefined,
  after: () => void,
): Promise<void> {
  if (request.kind === 'filter')
    return startOperation({
      title: actionTitle(request.action, 'jobs of the filter'),
      ...{ api, after },
      begin: async () =>
        (await api.jobs.bulk({ ...request.change, ...(note !== undefined && { note }) })).operation,
      itemHref: (id) => `/jobs/${id}`,
    });
  const { action, jobs } = request;
  return startEach({
    title: actionTitle(action, jobs.length === 1 ? (jobs[0]?.name ?? '') : countOfJobs(jobs.length)),
    items: jobs.map(({ id, name }) => ({ id, name, href: `/jobs/${id}` })),
    act: (job) => act(api, action, job, note),
    after,
  });
}

async function act(api: PunctualClient, action: JobAction, { id }: TrayItem, note: string | undefined) {
  const options = note === undefined ? {} : { note };
  if (action === 'pause') await api.jobs.pause(id, options);
  if (action === 'resume') await api.jobs.resume(id, options);
  if (action === 'cancel') await api.jobs.cancel(id, options);
  if (action !== 'run') return undefined;
  const execution = await api.jobs.run(id);
  return { link: { text: 'Open the execution', href: `/executions/${execution.id}` } };
}
