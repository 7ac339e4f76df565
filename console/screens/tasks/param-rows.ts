// The params of a task as rows of a table, and an example of them.
import { isRecord } from '../../../src/domain/value-changes.ts';
import { fieldsOfSchema, type ScalarKind, type SchemaField } from '../edit/params/schema-field.ts';

export interface ParamRow {
  /** The path of the field: `s3.bucket`. */
  readonly path: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string;
}

/** Undefined if the schema does not name the fields. */
export const paramRows = (schema: unknown): readonly ParamRow[] | undefined =>
  fieldsOfSchema(schema)?.flatMap((field) => rowsOf(field, ''));

function rowsOf(field: SchemaField, parent: string): ParamRow[] {
  const { name, isRequired, description } = field;
  const path = `${parent}${name}`;
  const row = { path, isRequired, type: typeOf(field), description };
  const nested = field.kind === 'group' ? field.fields.flatMap((child) => rowsOf(child, `${path}.`)) : [];
  return [row, ...nested];
}

const SCALARS: Readonly<Record<ScalarKind, { readonly one: string; readonly many: string }>> = {
  text: { one: 'text', many: 'texts' },
  number: { one: 'number', many: 'numbers' },
  integer: { one: 'integer', many: 'integers' },
  scalar: { one: 'text or number', many: 'texts or numbers' },
};

function typeOf(field: SchemaField): string {
  switch (field.kind) {
    case 'boolean':
      return 'true or false';
    case 'choice':
      return field.options.map(String).join(', ');
    case 'list':
      return `list of ${SCALARS[field.item].many}${field.max === undefined ? '' : `, at most ${field.max}`}`;
    case 'map':
      return `${SCALARS[field.item].many} by name`;
    case 'group':
      return 'object';
    case 'json':
      return 'any JSON';
    default:
      return SCALARS[field.kind].one + (field.hint === '' ? '' : `, ${field.hint.toLowerCase()}`);
  }
}

/** The first example of the schema. Undefined if it has none. */
export function exampleOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const examples = isRecord(schema) && Array.isArray(schema.examples) ? schema.examples : [];
  return examples.find(isRecord);
}
