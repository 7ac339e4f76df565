// The form of a job: task, params, schedule with its preview, policies, notifications, name and tags.
import { memo, useCallback, useEffect, useMemo, useState } from 'react';
import type { Task } from '../../../src/client/types.ts';
import type { FieldError } from '../../../src/domain/errors.ts';
import { AboutSection } from './about-section.tsx';
import type { JobDraft } from './draft/job-draft.ts';
import type { ChangeDraft } from './draft/use-draft.ts';
import { ErrorsContext } from './form/errors-context.ts';
import { NotifySection } from './notify-section.tsx';
import { ParamsSection } from './params/params-section.tsx';
import { fieldsOfSchema, initialParams } from './params/schema-field.ts';
import { PoliciesSection } from './policies/policies-section.tsx';
import type { OtherJob } from './schedule/collisions.ts';
import { PreviewPanel } from './schedule/preview-panel.tsx';
import { type ScheduleDraft, tabOf } from './schedule/schedule-draft.ts';
import { previewDraft } from './schedule/schedule-preview.ts';
import { ScheduleSection } from './schedule/schedule-section.tsx';
import { TaskSection } from './task-section.tsx';

interface JobFormProps {
  readonly draft: JobDraft;
  readonly change: ChangeDraft;
  readonly tasks: readonly Task[];
  readonly others: readonly OtherJob[] | undefined;
  readonly hasMoreJobs: boolean;
  /** The zone of a new schedule. */
  readonly zone: string;
  readonly isEdit: boolean;
  readonly namespace: string | undefined;
  /** The errors of the last save. */
  readonly errors: readonly FieldError[];
}

export const JobForm = memo((props: JobFormProps) => {
  const { draft, change, tasks, others, hasMoreJobs, zone, isEdit, namespace, errors } = props;
  const { schedule } = draft;
  const now = useNow(schedule);
  const preview = useMemo(() => previewDraft(schedule, now), [schedule, now]);
  const task = tasks.find(({ name }) => name === draft.task);

  const set = useCallback((fields: Partial<JobDraft>) => change((old) => ({ ...old, ...fields })), [change]);
  const setTask = useCallback(
    (chosen: Task) =>
      change((old) =>
        old.task === chosen.name
          ? old
          : { ...old, task: chosen.name, params: initialParams(fieldsOfSchema(chosen.params)) },
      ),
    [change],
  );
  const setParams = useCallback((params: JobDraft['params']) => set({ params }), [set]);
  const setNotify = useCallback((notify: JobDraft['notify']) => set({ notify }), [set]);
  const setSchedule = useCallback(
    (edit: (old: ScheduleDraft | undefined) => ScheduleDraft | undefined) =>
      change((old) => ({ ...old, schedule: edit(old.schedule) })),
    [change],
  );
  const addJitter = useCallback(
    (jitterSeconds: number) => setSchedule((old) => ({ ...old, jitterSeconds })),
    [setSchedule],
  );
  const tab = tabOf(schedule);
  const isRecurring = tab !== 'now' && tab !== 'once';
  return (
    <ErrorsContext.Provider value={errors}>
      <div className="edit-layout">
        {/* The preview stays in view beside the schedule, and ends with it. */}
        <div className="edit-beside">
          <div className="edit-main">
            <TaskSection tasks={tasks} task={draft.task} onChange={setTask} />
            {draft.task !== '' && <ParamsSection task={task} params={draft.params} onChange={setParams} />}
            <ScheduleSection
              schedule={schedule}
              preview={preview}
              zone={zone}
              isEdit={isEdit}
              onChange={setSchedule}
            />
          </div>
          <div className="edit-side">
            <PreviewPanel
              preview={preview}
              now={now}
              others={others}
              hasMore={hasMoreJobs}
              onJitter={isRecurring ? addJitter : undefined}
            />
          </div>
        </div>
        <div className="edit-rest">
          <PoliciesSection
            retry={draft.retry}
            timeoutSeconds={draft.timeoutSeconds}
            overlap={draft.overlap}
            misfire={draft.misfire}
            limit={draft.limit}
            isRecurring={isRecurring}
            onChange={set}
          />
          <NotifySection notify={draft.notify} onChange={setNotify} />
          <AboutSection name={draft.name} tags={draft.tags} namespace={namespace} onChange={set} />
        </div>
      </div>
    </ErrorsContext.Provider>
  );
});

/** The present time, taken anew with each change of the schedule and every 10 seconds. */
function useNow(schedule: ScheduleDraft | undefined): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time is taken at these changes
  return useMemo(() => Date.now(), [schedule, tick]);
}
