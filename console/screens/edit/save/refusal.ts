// The errors of a refused save by field.
import { PunctualApiError } from '../../../../src/client/errors.ts';
import type { Refusal } from '../form/field-errors.ts';

/** A schedule without any time is refused as a whole. Other problems have no field. */
export function refusalOf(error: unknown, request: unknown): Refusal {
  if (!(error instanceof PunctualApiError)) return { request, errors: [] };
  if (error.fieldErrors.length > 0) return { request, errors: error.fieldErrors };
  return error.status === 422
    ? { request, errors: [{ path: 'schedule', message: error.problem?.detail ?? error.message }] }
    : { request, errors: [] };
}
