// The screen that edits a job. Nothing of a version that the user has not seen is overwritten.
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { PunctualApiError } from '../../../src/client/client.ts';
import type { Job, JobChanges, Task } from '../../../src/client/types.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { valueChanges } from '../../../src/domain/value-changes.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';
import { cliText, withInput } from '../../parts/command-text.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useJobZone, useZone } from '../../parts/zone.tsx';
import { changesBetween, draftOfJob, fieldsOf, type JobDraft } from './draft/job-draft.ts';
import { keptVersion, useDraft } from './draft/use-draft.ts';
import { type BrokenJson, BrokenJsonContext } from './form/broken-json.ts';
import { JobForm } from './job-form.tsx';
import { ConflictDialog } from './save/conflict-dialog.tsx';
import { effectOf } from './save/effect.ts';
import { refusalOf } from './save/refusal.ts';
import { RefusalAlert } from './save/refusal-alert.tsx';
import { ReviewDialog } from './save/review-dialog.tsx';
import { useRefusal } from './save/use-refusal.ts';
import { storedOf } from './schedule/switch-tab.ts';
import { useOtherJobs } from './use-other-jobs.ts';
import { useTasks } from './use-tasks.ts';

export function EditScreen({ id }: { id: string }) {
  const api = useApi();
  const tasks = useTasks();
  const job = useLive({ key: keys.job(id), kind: 'object', read: (signal) => api.jobs.get(id, { signal }) });
  if (job.data && tasks.data) return <Edit key={id} job={job.data} tasks={tasks.data} />;
  return (
    <Page title="Edit job">
      <Loaded query={job}>{() => <Loaded query={tasks}>{() => null}</Loaded>}</Loaded>
    </Page>
  );
}

interface EditProps {
  /** The job as it is now. */
  readonly job: Job;
  readonly tasks: readonly Task[];
}

function Edit({ job, tasks }: EditProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  useJobZone(job.schedule.timezone ?? 'UTC');
  const { zone } = useZone();
  // The version that is edited. It changes only when the user has seen the next one.
  const [base, setBase] = useState(job);
  const start = useMemo(() => draftOfJob(base), [base]);
  const [earlier] = useState(keptVersion);
  const { draft, change, forget } = useDraft(start, { key: job.id, version: base.version });
  // A draft of the address that was made from an earlier version is compared first.
  const [theirs, setTheirs] = useState<Job | undefined>(() =>
    earlier !== undefined && earlier < job.version ? job : undefined,
  );
  const [isReviewed, setReviewed] = useState(false);
  const [note, setNote] = useState('');
  const others = useOtherJobs(job.id);
  const broken = useRef<BrokenJson>(new Map());
  const changes = useMemo(() => changesBetween(start, draft), [start, draft]);
  const isChanged = Object.keys(changes).length > 0;
  const { open, refuse } = useRefusal(changes);

  const edit = useMutation({
    mutationFn: (body: JobChanges) =>
      api.jobs.edit(job.id, { ...body, ...(note !== '' && { note }) }, { ifMatch: base.version }),
    onSuccess: async () => {
      forget();
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: keys.ofJob(job.id) }),
        queryClient.invalidateQueries({ queryKey: keys.allJobs }),
      ]);
      navigate(`/jobs/${job.id}`);
    },
    onError: async (error, body) => {
      setReviewed(false);
      if (!(error instanceof PunctualApiError && error.status === 412)) return refuse(refusalOf(error, body));
      const current = await queryClient
        .fetchQuery({ queryKey: keys.job(job.id), queryFn: () => api.jobs.get(job.id), staleTime: 0 })
        // Without their version, the page shows the refusal itself.
        .catch(() => undefined);
      setTheirs(current);
    },
  });
  const review = () => {
    const errors = [...broken.current.values()].map((message) => ({ path: 'params', message }));
    if (errors.length > 0) refuse({ request: changes, errors });
    else setReviewed(true);
  };
  const takeMerged = (next: JobDraft) => {
    if (theirs) setBase(theirs);
    setTheirs(undefined);
    edit.reset();
    change(() => next);
  };
  useShortcuts([{ keys: 'Mod+Enter', what: 'Review the changes', run: () => isChanged && review() }]);
  // A conflict is shown as a comparison, as soon as the other version is known.
  const isConflict = edit.error instanceof PunctualApiError && edit.error.status === 412;
  const isCompared = theirs !== undefined || job.version > base.version;
  const buttons = (
    <SpaceBetween direction="horizontal" size="xs">
      <Button variant="link" onClick={() => navigate(`/jobs/${job.id}`)}>
        Cancel
      </Button>
      <Button
        variant="primary"
        disabled={!isChanged}
        disabledReason="Nothing has been changed"
        onClick={review}
      >
        Review changes
      </Button>
    </SpaceBetween>
  );
  return (
    <Page
      title={`Edit ${job.name ?? job.id}`}
      commands={{
        request: {
          method: 'PATCH',
          path: `/jobs/${job.id}`,
          headers: { 'if-match': `"${base.version}"` },
          body: changes,
        },
        cli: withInput(cliText('edit', job.id, '--file', '-'), changes),
      }}
      actions={buttons}
    >
      <BrokenJsonContext.Provider value={broken.current}>
        <SpaceBetween size="m">
          {job.version > base.version && !theirs && (
            <Alert
              type="warning"
              statusIconAriaLabel="Warning"
              header="Somebody else has changed this job"
              action={<Button onClick={() => setTheirs(job)}>Compare</Button>}
            >
              You edit version {base.version}. The job now has version {job.version}.
            </Alert>
          )}
          <RefusalAlert error={isConflict && isCompared ? undefined : edit.error} open={open} />
          <JobForm
            draft={draft}
            change={change}
            tasks={tasks}
            others={others.items}
            hasMoreJobs={others.hasMore}
            zone={draft.schedule?.timezone ?? zone}
            isEdit
            namespace={job.namespace}
            errors={open}
          />
          <div className="edit-buttons">{buttons}</div>
        </SpaceBetween>
      </BrokenJsonContext.Provider>
      {isReviewed && (
        <ReviewDialog
          changes={valueChanges([], fieldsOf(start), fieldsOf(draft))}
          effect={effectOfEdit(base, draft, changes)}
          zone={zone}
          isPaused={job.status === 'paused'}
          note={note}
          isSaving={edit.isPending}
          onNote={setNote}
          onSave={() => edit.mutate(changes)}
          onClose={() => setReviewed(false)}
        />
      )}
      {theirs && (
        <ConflictDialog
          base={base}
          mine={draft}
          theirs={theirs}
          onMerged={takeMerged}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </Page>
  );
}

/** Undefined if the schedule stays the same, or is not valid. */
function effectOfEdit(base: Job, { schedule }: JobDraft, changes: JobChanges) {
  const now = Date.now();
  const after = changes.schedule && schedule ? storedOf(schedule, now) : undefined;
  return after && effectOf(base.schedule as Schedule, after, now);
}
