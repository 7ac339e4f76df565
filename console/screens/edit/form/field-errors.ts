// The errors of the last save, by field. An error is shown until its value changes.
import type { FieldError } from '../../../../src/domain/errors.ts';
import { isSameValue } from '../../../../src/domain/value-changes.ts';

/** The request that was refused, and why. */
export interface Refusal {
  readonly request: unknown;
  readonly errors: readonly FieldError[];
}

/** `schedule.except[0].cron` as parts. */
export const pathParts = (path: string): string[] =>
  path === '' ? [] : path.split(/\.|\[(\d+)\]\.?/).filter((part) => part !== undefined && part !== '');

export const valueAt = (value: unknown, path: string): unknown =>
  pathParts(path).reduce<unknown>(
    (at, part) => (at === null || at === undefined ? undefined : Object(at)[part]),
    value,
  );

/** The errors whose values are still those of the refused request. */
export const openErrors = (refusal: Refusal | undefined, request: unknown): readonly FieldError[] =>
  (refusal?.errors ?? []).filter(({ path }) =>
    isSameValue(valueAt(refusal?.request, path), valueAt(request, path)),
  );

/** Whether an error belongs to a field. A `deep` field shows the errors of everything inside of it. */
export const isAt = (path: string, field: string, deep: boolean): boolean =>
  path === field || (deep && (path.startsWith(`${field}.`) || path.startsWith(`${field}[`)));

/** The messages for a field as one text. The path is named if it is deeper than the field. */
export const textAt = (errors: readonly FieldError[], field: string, deep: boolean): string =>
  errors
    .filter(({ path }) => isAt(path, field, deep))
    .map(({ path, message }) =>
      path === field
        ? `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}`
        : `${path.slice(field.length).replace(/^\./, '')} ${message}`,
    )
    .join('. ');

/** In the order of the fields of the form. Errors without a field come last. */
export function inOrderOf(fields: readonly string[], errors: readonly FieldError[]): readonly FieldError[] {
  const rank = ({ path }: FieldError): number => {
    const field = fieldFor(path, fields);
    return field === undefined ? fields.length : fields.indexOf(field);
  };
  return errors.toSorted((a, b) => rank(a) - rank(b));
}

/** The field of the form that an error is shown at: the longest one that contains its path. */
export const fieldFor = (path: string, fields: readonly string[]): string | undefined =>
  fields.filter((field) => isAt(path, field, true)).sort((a, b) => b.length - a.length)[0];
