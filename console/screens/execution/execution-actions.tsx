// Cancel and retry of an execution.
import Button from '@cloudscape-design/components/button';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Execution } from '../../../src/client/client.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useShortcuts } from '../../keyboard/shortcuts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Problem } from '../../parts/problem.tsx';
import { canCancel, canRetry } from './execution-texts.ts';

export function ExecutionActions({ execution }: { execution: Execution }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState(false);
  const changed = () => {
    void queryClient.invalidateQueries({ queryKey: keys.execution(execution.id) });
    void queryClient.invalidateQueries({ queryKey: keys.ofJob(execution.jobId) });
  };
  const retry = useMutation({ mutationFn: () => api.executions.retry(execution.id), onSettled: changed });
  const cancel = useMutation({ mutationFn: () => api.executions.cancel(execution.id), onSettled: changed });
  useShortcuts(canRetry(execution) ? [{ keys: 'R', what: 'Run it again', run: () => retry.mutate() }] : []);
  const error = retry.error ?? cancel.error;
  return (
    <>
      {canCancel(execution) && (
        <Button loading={cancel.isPending} onClick={() => setAsked(true)}>
          Cancel execution
        </Button>
      )}
      {canRetry(execution) && (
        <Button variant="primary" loading={retry.isPending} onClick={() => retry.mutate()}>
          Run again
        </Button>
      )}
      {asked && (
        <Confirm
          title="Cancel this execution?"
          confirmText="Cancel execution"
          onConfirm={() => {
            setAsked(false);
            cancel.mutate();
          }}
          onDismiss={() => setAsked(false)}
        >
          An execution that has not started does not start. A running task is asked to stop. The job and its
          other executions do not change.
        </Confirm>
      )}
      {error !== null && (
        <div className="under-actions">
          <Problem error={error} />
        </div>
      )}
    </>
  );
}
