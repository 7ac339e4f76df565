// The actions on a job: buttons, a menu, keys, and their dialogs.
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Job } from '../../../src/client/types.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';
import { useJobActions } from '../../parts/use-job-actions.tsx';
import { BackfillDialog } from './backfill-dialog.tsx';
import { canBackfill, canCancel, canEdit, canPause, canResume, canRun } from './job-texts.ts';
import { PauseDialog } from './pause-dialog.tsx';
import { RunDialog } from './run-dialog.tsx';

export function JobActions({ job }: { job: Job }) {
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'pause' | 'run' | 'backfill'>();
  const actions = useJobActions();
  const target = { id: job.id, name: job.name ?? job.id };
  const act = (action: 'run' | 'resume' | 'cancel') => actions.onJobs(action, [target]);
  const byMenu: Record<string, () => void> = {
    'run-with': () => setOpen('run'),
    backfill: () => setOpen('backfill'),
    why: () => navigate(`/jobs/${job.id}/why`),
    edit: () => navigate(`/jobs/${job.id}/edit`),
    duplicate: () => navigate(`/jobs/new?from=${job.id}`),
    cancel: () => act('cancel'),
  };
  useShortcuts([
    ...(canRun(job) ? [{ keys: 'r', what: 'Run the job now', run: () => act('run') }] : []),
    ...(canPause(job) ? [{ keys: 'p', what: 'Pause the job', run: () => setOpen('pause') }] : []),
    ...(canResume(job) ? [{ keys: 'p', what: 'Resume the job', run: () => act('resume') }] : []),
    ...(canEdit(job) ? [{ keys: 'e', what: 'Edit the job', run: () => byMenu.edit?.() }] : []),
  ]);
  return (
    <>
      <SpaceBetween direction="horizontal" size="xs">
        <ButtonDropdown
          items={[
            { id: 'run-with', text: 'Run with other params', disabled: !canRun(job) },
            { id: 'backfill', text: 'Backfill', disabled: !canBackfill(job) },
            { id: 'why', text: 'Why did it not run?' },
            { id: 'edit', text: 'Edit', disabled: !canEdit(job) },
            { id: 'duplicate', text: 'Duplicate' },
            { id: 'cancel', text: 'Cancel job', disabled: !canCancel(job) },
          ]}
          onItemClick={({ detail }) => byMenu[detail.id]?.()}
        >
          Actions
        </ButtonDropdown>
        {canPause(job) && <Button onClick={() => setOpen('pause')}>Pause</Button>}
        {canResume(job) && <Button onClick={() => act('resume')}>Resume</Button>}
        {canRun(job) && (
          <Button variant="primary" onClick={() => act('run')}>
            Run now
          </Button>
        )}
      </SpaceBetween>
      {actions.dialog}
      {open === 'pause' && <PauseDialog job={job} onClose={() => setOpen(undefined)} />}
      {open === 'run' && <RunDialog job={job} onClose={() => setOpen(undefined)} />}
      {open === 'backfill' && <BackfillDialog job={job} onClose={() => setOpen(undefined)} />}
    </>
  );
}
