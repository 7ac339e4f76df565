// A failed request: what happened, the wrong fields, the request id to copy, and a retry.
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { Id } from './id.tsx';
import { problemText } from './problem-text.ts';

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, detail, requestId, fields } = problemText(error);
  const isOneField = fields.length === 1 && detail.includes(fields[0]?.message ?? '');
  return (
    <Alert
      type="error"
      header={title}
      action={onRetry && <Button onClick={onRetry}>Try again</Button>}
      statusIconAriaLabel="Error"
    >
      <div className="problem-detail">{detail}</div>
      {!isOneField && fields.length > 0 && (
        <ul>
          {fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {requestId && (
        <div>
          Request id <Id id={requestId} what="request id" />
        </div>
      )}
    </Alert>
  );
}
