// The screen that creates a job: an empty one, one for a task (`?task=`), or a duplicate (`?from=`).
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { Job, JobInput, Task } from '../../../src/client/types.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';
import { cliText, withInput } from '../../parts/command-text.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useZone } from '../../parts/zone.tsx';
import { duplicateOf, emptyDraft, type JobDraft, requestOf } from './draft/job-draft.ts';
import { useDraft } from './draft/use-draft.ts';
import { type BrokenJson, BrokenJsonContext } from './form/broken-json.ts';
import { JobForm } from './job-form.tsx';
import { fieldsOfSchema, initialParams } from './params/schema-field.ts';
import { refusalOf } from './save/refusal.ts';
import { RefusalAlert } from './save/refusal-alert.tsx';
import { useRefusal } from './save/use-refusal.ts';
import { useOtherJobs } from './use-other-jobs.ts';
import { useTasks } from './use-tasks.ts';

export function CreateScreen() {
  const api = useApi();
  const [params] = useSearchParams();
  const from = params.get('from');
  const tasks = useTasks();
  const original = useLive({
    key: keys.job(from ?? ''),
    kind: 'object',
    read: (signal) => api.jobs.get(from ?? '', { signal }),
    enabled: from !== null,
    isFinal: () => true,
  });
  if (tasks.data && from === null)
    return <Create key="new" tasks={tasks.data} task={params.get('task') ?? ''} />;
  if (tasks.data && original.data)
    return <Create key={original.data.id} tasks={tasks.data} task="" original={original.data} />;
  return (
    <Page title={from === null ? 'Create job' : 'Duplicate job'}>
      <Loaded query={tasks}>{() => <Loaded query={original}>{() => null}</Loaded>}</Loaded>
    </Page>
  );
}

interface CreateProps {
  readonly tasks: readonly Task[];
  /** The task to begin with. Empty if the user chooses. */
  readonly task: string;
  readonly original?: Job;
}

function Create({ tasks, task, original }: CreateProps) {
  const api = useApi();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const { zone } = useZone();
  const [startZone] = useState(zone);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form begins once
  const start = useMemo(() => startOf(startZone, tasks, task, original), [task, original?.id]);
  const { draft, change, forget } = useDraft(start, { key: original?.id ?? 'new' });
  const others = useOtherJobs(undefined);
  const request = useMemo(() => requestOf(draft), [draft]);
  const { open, refuse } = useRefusal(request);
  const broken = useRef<BrokenJson>(new Map());
  const idempotency = useIdempotencyKey(request);

  const create = useMutation({
    mutationFn: (body: JobInput) => api.jobs.create(body, { idempotencyKey: idempotency() }),
    onSuccess: async (job) => {
      forget();
      await queryClient.invalidateQueries({ queryKey: keys.allJobs });
      navigate(`/jobs/${job.id}`);
    },
    onError: (error, body) => refuse(refusalOf(error, body)),
  });
  const submit = () => {
    const errors = [...broken.current.values()].map((message) => ({ path: 'params', message }));
    if (draft.task === '') errors.push({ path: 'task', message: 'choose a task' });
    if (errors.length > 0) return refuse({ request, errors });
    create.mutate(request);
  };
  useShortcuts([{ keys: 'Mod+Enter', what: 'Create the job', run: submit }]);
  const buttons = (
    <SpaceBetween direction="horizontal" size="xs">
      <Button variant="link" onClick={() => navigate('/jobs')}>
        Cancel
      </Button>
      <Button variant="primary" loading={create.isPending} loadingText="Creating" onClick={submit}>
        Create job
      </Button>
    </SpaceBetween>
  );
  return (
    <Page
      title={original ? 'Duplicate job' : 'Create job'}
      commands={{
        request: { method: 'POST', path: '/jobs', body: request },
        cli: withInput(cliText('create', '--file', '-'), request),
      }}
      actions={buttons}
    >
      <BrokenJsonContext.Provider value={broken.current}>
        <SpaceBetween size="m">
          <RefusalAlert error={create.error} open={open} />
          <JobForm
            draft={draft}
            change={change}
            tasks={tasks}
            others={others.items}
            hasMoreJobs={others.hasMore}
            zone={startZone}
            isEdit={false}
            namespace={undefined}
            errors={open}
          />
          <div className="edit-buttons">{buttons}</div>
        </SpaceBetween>
      </BrokenJsonContext.Provider>
    </Page>
  );
}

function startOf(zone: string, tasks: readonly Task[], name: string, original: Job | undefined): JobDraft {
  if (original) return duplicateOf(original);
  const task = tasks.find((one) => one.name === name);
  const params = initialParams(fieldsOfSchema(task?.params));
  return { ...emptyDraft(zone), ...(task && { task: task.name, params }) };
}

/** The same key for the same request, so that a second try after a lost response creates no second job. */
function useIdempotencyKey(request: JobInput): () => string {
  const last = useRef({ request: '', key: '' });
  return () => {
    const text = JSON.stringify(request);
    if (last.current.request !== text) last.current = { request: text, key: randomKey() };
    return last.current.key;
  };
}

const randomKey = (): string =>
  // `crypto.randomUUID` does not exist on pages that are not served over HTTPS.
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
