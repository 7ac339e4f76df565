// The errors that the fields of the form show.
import { createContext, useContext } from 'react';
import type { FieldError } from '../../../../src/domain/errors.ts';
import { isAt, textAt } from './field-errors.ts';

export const NO_ERRORS: readonly FieldError[] = [];

export const ErrorsContext = createContext<readonly FieldError[]>(NO_ERRORS);

/** The text for a field. Empty if it has no error. */
export const useErrorAt = (field: string, deep = false): string =>
  textAt(useContext(ErrorsContext), field, deep);

/** True if a section has an error. Such a section is open. */
export function useHasError(fields: readonly string[]): boolean {
  const errors = useContext(ErrorsContext);
  return errors.some(({ path }) => fields.some((field) => isAt(path, field, true)));
}
