// A save that was refused: the reason, and a link to each field.
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { PunctualApiError } from '../../../../src/client/errors.ts';
import type { FieldError } from '../../../../src/domain/errors.ts';
import { Problem } from '../../../parts/problem.tsx';
import { focusField, shownFields } from '../form/field.tsx';
import { fieldFor } from '../form/field-errors.ts';
import { refusalOf } from './refusal.ts';

interface RefusalAlertProps {
  /** The error of the last save. Null or undefined if there is none. */
  readonly error: unknown;
  /** The errors whose values have not changed since. */
  readonly open: readonly FieldError[];
}

export function RefusalAlert({ error, open }: RefusalAlertProps) {
  if (open.length === 0) {
    // All fields of the refusal have changed since.
    const isAnswered =
      !error || (error instanceof PunctualApiError && refusalOf(error, undefined).errors.length > 0);
    return isAnswered ? null : <Problem error={error} />;
  }
  return (
    <Alert
      type="error"
      statusIconAriaLabel="Error"
      header={open.length === 1 ? 'One field is not valid' : `${open.length} fields are not valid`}
    >
      <ul className="edit-refused">
        {open.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <Button variant="inline-link" onClick={() => showField(path)}>
              {path === '' ? 'The job' : path}
            </Button>{' '}
            {message}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** Shows the field that an error belongs to. */
export function showField(path: string): void {
  const field = fieldFor(path, shownFields());
  if (field !== undefined) focusField(field);
}
