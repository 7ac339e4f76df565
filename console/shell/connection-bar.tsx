// Says that the data are old, because the server does not answer or asks for fewer requests.
import Button from '@cloudscape-design/components/button';
import { useQueryClient } from '@tanstack/react-query';
import { connection } from '../api/live.ts';
import { Time } from '../parts/time.tsx';
import { useValue } from '../state/use-value.ts';

export function ConnectionBar() {
  const { state, dataAt } = useValue(connection);
  const queryClient = useQueryClient();
  return (
    <div className="connection-bar" role="status" data-state={state}>
      {state !== 'online' && (
        <>
          <span>
            {state === 'offline'
              ? 'Offline: the server does not answer.'
              : 'The server is busy. The console asks less often.'}{' '}
            {dataAt !== undefined && (
              <>
                The data are from <Time at={dataAt} />.
              </>
            )}
          </span>
          <Button variant="inline-link" onClick={() => void queryClient.refetchQueries({ type: 'active' })}>
            Try now
          </Button>
        </>
      )}
    </div>
  );
}
