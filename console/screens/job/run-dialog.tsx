// Runs a job now with other params.
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Textarea from '@cloudscape-design/components/textarea';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Job } from '../../../src/client/types.ts';
import { isRecord } from '../../../src/domain/value-changes.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { jsonText, parseJson } from '../edit/params/json-text.ts';

const MAX_ROWS = 16;

export function RunDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState(() => jsonText(job.params ?? {}));
  const parsed = parseJson(text);
  const wrong = parsed.error ?? (isRecord(parsed.value) ? undefined : 'must be a JSON object');
  const run = useMutation({
    mutationFn: () => api.jobs.run(job.id, { params: parsed.value as Record<string, unknown> }),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: keys.ofJob(job.id) });
      onClose();
      navigate(`/executions/${id}`);
    },
  });
  return (
    <Dialog
      title={`Run ${job.name ?? job.id} with other params?`}
      confirmText="Run job"
      disabled={wrong !== undefined}
      loading={run.isPending}
      error={run.error}
      onConfirm={() => run.mutate()}
      onDismiss={onClose}
    >
      <Box>The job starts once, now, with these params. The job itself does not change.</Box>
      <FormField label="Params" stretch errorText={wrong && `Params ${wrong}`}>
        <Textarea
          value={text}
          rows={Math.min(Math.max(text.split('\n').length, 6), MAX_ROWS)}
          spellcheck={false}
          onChange={({ detail }) => setText(detail.value)}
        />
      </FormField>
    </Dialog>
  );
}
