// The errors of the last save, and what is shown after it.
import { useState } from 'react';
import type { FieldError } from '../../../../src/domain/errors.ts';
import { shownFields } from '../form/field.tsx';
import { inOrderOf, openErrors, type Refusal } from '../form/field-errors.ts';
import { useStable } from '../form/use-stable.ts';
import { showField } from './refusal-alert.tsx';

/** `request` is the present one. `open` has the errors whose values have not changed since the refusal. */
export function useRefusal(request: unknown) {
  const [refusal, setRefusal] = useState<Refusal>();
  const open: readonly FieldError[] = useStable(openErrors(refusal, request));
  const refuse = (next: Refusal) => {
    const errors = inOrderOf(shownFields(), next.errors);
    setRefusal({ ...next, errors });
    const [first] = errors;
    // After the sections with errors have opened.
    if (first) setTimeout(() => showField(first.path), 0);
  };
  return { open, refuse };
}
