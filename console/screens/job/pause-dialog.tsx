// Pauses a job, with a note and an end.
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../../../src/client/types.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ACTION_TEXTS } from '../../parts/job-action-texts.ts';
import { useZone } from '../../parts/zone.tsx';
import { DateTimeControl } from '../edit/schedule/date-time-field.tsx';
import { instantOfField } from './instant-of-field.ts';

export function PauseDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const { zone } = useZone();
  const [note, setNote] = useState('');
  const [until, setUntil] = useState('');
  const end = instantOfField(until, zone);
  const pause = useMutation({
    mutationFn: () =>
      api.jobs.pause(job.id, {
        ...(note.trim() !== '' && { note: note.trim() }),
        ...(end.at !== undefined && { until: new Date(end.at).toISOString() }),
      }),
    onSuccess: async () => {
      onClose();
      await Promise.all(
        [keys.allJobs, keys.ofJob(job.id)].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
    },
  });
  return (
    <Dialog
      title={`Pause ${job.name ?? job.id}?`}
      confirmText="Pause job"
      disabled={end.error !== undefined}
      loading={pause.isPending}
      error={pause.error}
      onConfirm={() => pause.mutate()}
      onDismiss={onClose}
    >
      <Box>{ACTION_TEXTS.pause.effect}</Box>
      <FormField label="Note" description="The reason, kept in the record of the change. It can be left out.">
        <Input value={note} onChange={({ detail }) => setNote(detail.value)} />
      </FormField>
      <FormField
        label="Until"
        description={`In ${zone}. Left out, the pause lasts until somebody resumes the job.`}
        errorText={end.error}
      >
        <DateTimeControl label="Until" value={until} zone={zone} onChange={setUntil} />
      </FormField>
    </Dialog>
  );
}
