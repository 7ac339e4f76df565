// "One first, then the rest": one execution runs again. If it succeeds, the rest is offered. If it fails, nothing else runs.
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { hasEnded } from '../../../src/client/client.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { Problem } from '../../parts/problem.tsx';
import { countOfDeadLetters } from './dead-letter-texts.ts';

interface TrialProps {
  readonly id: string;
  /** The number of the others that are loaded. */
  readonly rest: number;
  /** True if the group has others that are not loaded. */
  readonly hasMore: boolean;
  /** True while they are read. */
  readonly isReading: boolean;
  readonly onRest: () => void;
  readonly onEnd: () => void;
}

export function Trial({ id, rest, hasMore, isReading, onRest, onEnd }: TrialProps) {
  const api = useApi();
  const redrive = useMutation({ mutationFn: () => api.executions.retry(id) });
  const { mutate } = redrive;
  useEffect(() => mutate(), [mutate]);
  // Read only after the retry was accepted: the execution is failed until then.
  const execution = useLive({
    // A trial after another of the same execution must not see the end of the earlier one.
    key: [...keys.execution(id), 'trial', redrive.submittedAt],
    kind: 'object',
    read: (signal) => api.executions.get(id, { signal }),
    enabled: redrive.isSuccess,
    isFinal: hasEnded,
  });
  if (redrive.error) return <Problem error={redrive.error} onRetry={() => mutate()} />;
  const { data } = execution;
  const link = <Link href={`/executions/${id}`}>Open the execution</Link>;
  if (data === undefined || !hasEnded(data))
    return (
      <Alert type="info" statusIconAriaLabel="Info" header="One execution runs again">
        The rest waits for its end. It is {data?.status ?? 'queued'}. {link}
      </Alert>
    );
  if (data.status !== 'succeeded')
    return (
      <Alert
        type="error"
        statusIconAriaLabel="Error"
        header={`The first execution ${data.status === 'failed' ? 'failed again' : `is ${data.status}`}`}
        dismissible
        dismissAriaLabel="Close"
        onDismiss={onEnd}
      >
        Nothing else was redriven. {data.error && `${data.error.name}: ${data.error.message} `}
        {link}
      </Alert>
    );
  const hasRest = rest > 0 || hasMore;
  return (
    <Alert
      type="success"
      statusIconAriaLabel="Success"
      header="The first execution succeeded"
      action={
        hasRest && (
          <Button loading={isReading} onClick={onRest}>
            Redrive the rest ({rest}
            {hasMore && '+'})
          </Button>
        )
      }
      dismissible
      dismissAriaLabel="Close"
      onDismiss={onEnd}
    >
      {hasRest
        ? `${countOfDeadLetters(rest, hasMore)} ${rest === 1 && !hasMore ? 'waits' : 'wait'} for a decision. `
        : 'There is nothing else. '}
      {link}
    </Alert>
  );
}
