// The instant that a date and a time of day in a zone stand for.
import { InvalidInput } from '../../../src/domain/errors.ts';
import { resolveInstant } from '../../../src/domain/schedule/instant.ts';

export interface FieldInstant {
  /** Undefined if the field is empty or not valid. */
  readonly at?: number;
  readonly error?: string;
}

export function instantOfField(text: string, zone: string): FieldInstant {
  if (text === '') return {};
  try {
    return { at: Date.parse(resolveInstant(text, zone, 'time')) };
  } catch (error) {
    if (error instanceof InvalidInput) return { error: error.message };
    throw error;
  }
}
