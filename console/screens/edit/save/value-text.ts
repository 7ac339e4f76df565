// Values of a job in tables of differences.
import { jsonText } from '../params/json-text.ts';

/** A text as it is, everything else as JSON. A value that is not there is "not set". */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'not set';
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  const short = JSON.stringify(value);
  return short.length <= 60 ? short : jsonText(value);
}
