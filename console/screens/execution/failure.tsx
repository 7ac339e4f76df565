// The error of an execution that failed or is being retried, with the group of dead letters that it belongs to.
import Alert from '@cloudscape-design/components/alert';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Execution } from '../../../src/client/client.ts';
import { errorKeyOf } from '../../parts/error-key.ts';

export function Failure({ execution }: { execution: Execution }) {
  const { status, error, dismissed } = execution;
  const isDeadLetter = status === 'failed' && dismissed === undefined;
  const key = useQuery({
    queryKey: ['error key', error],
    queryFn: () => errorKeyOf(execution),
    enabled: isDeadLetter,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!error) return null;
  return (
    <Alert
      type={status === 'failed' ? 'error' : 'warning'}
      statusIconAriaLabel={status === 'failed' ? 'Error' : 'Warning'}
      header={error.name}
    >
      <div className="problem-detail preserved">{error.message}</div>
      {key.data !== undefined && (
        <Link href={`/dead-letters?error=${encodeURIComponent(key.data)}`}>
          Dead letters with the same error
        </Link>
      )}
    </Alert>
  );
}
