// A field of the form with the errors of its path.
import FormField from '@cloudscape-design/components/form-field';
import type { ReactNode } from 'react';
import { useErrorAt } from './errors-context.ts';

interface FieldProps {
  /** The field of the request, such as `schedule.cron`. */
  readonly path: string;
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly hint?: ReactNode;
  readonly optional?: boolean;
  /** Shows the errors of everything inside of the field. */
  readonly deep?: boolean;
  /** An error found in the page. It comes before those of the server. */
  readonly error?: string | undefined;
  readonly stretch?: boolean;
  readonly children: ReactNode;
}

export function Field({
  path,
  label,
  description,
  hint,
  optional,
  deep,
  error,
  stretch,
  children,
}: FieldProps) {
  const refused = useErrorAt(path, deep);
  return (
    <div data-field={path} className="edit-field">
      <FormField
        label={
          optional ? (
            <>
              {label} <i className="edit-optional">optional</i>
            </>
          ) : (
            label
          )
        }
        description={description}
        constraintText={hint}
        errorText={error || refused || undefined}
        stretch={stretch ?? false}
      >
        {children}
      </FormField>
    </div>
  );
}

/** Scrolls to a field and focuses its first control. */
export function focusField(path: string): void {
  const field = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`);
  if (!field) return;
  field.scrollIntoView({ block: 'center' });
  const control =
    field.querySelector<HTMLElement>('input, textarea') ??
    editorIn(field) ??
    field.querySelector<HTMLElement>('button, [tabindex="0"]');
  control?.focus({ preventScroll: true });
}

/** The text of a JSON editor, which is in a shadow root. */
const editorIn = (field: HTMLElement): HTMLElement | undefined =>
  field.querySelector('.edit-json > div')?.shadowRoot?.querySelector<HTMLElement>('[role="textbox"]') ??
  undefined;

/** The paths of all fields that are shown. */
export const shownFields = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('[data-field]')].map(({ dataset }) => dataset.field ?? '');
