// The fields of a form by JSON Schema, for the part of JSON Schema that zod writes. Everything else is a field for JSON.
import { isRecord } from '../../../../src/domain/value-changes.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

interface FieldBase {
  readonly name: string;
  readonly isRequired: boolean;
  /** The text of the schema, as a sentence. */
  readonly description: string;
}

/** A value that is one text field. `scalar` is a number or a text, whichever the text is. */
export type ScalarKind = 'text' | 'number' | 'integer' | 'scalar';

export type SchemaField = FieldBase &
  (
    | {
        readonly kind: ScalarKind;
        /** The allowed range or length, such as "0 to 900". */
        readonly hint: string;
        readonly isLong: boolean;
      }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly options: readonly (string | number | boolean)[] }
    | { readonly kind: 'list'; readonly item: ScalarKind; readonly max: number | undefined }
    | { readonly kind: 'map'; readonly item: ScalarKind }
    | { readonly kind: 'group'; readonly fields: readonly SchemaField[] }
    | { readonly kind: 'json' }
  );

/** Undefined if the schema is not an object with named fields: the params are then JSON as a whole. */
export function fieldsOfSchema(schema: unknown): readonly SchemaField[] | undefined {
  if (!isRecord(schema) || schema.type !== 'object' || !isRecord(schema.properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    fieldOf(name, isRecord(property) ? property : {}, required.includes(name)),
  );
  // Required fields come first, in the order of the schema.
  return [
    ...fields.filter(({ isRequired }) => isRequired),
    ...fields.filter(({ isRequired }) => !isRequired),
  ];
}

function fieldOf(name: string, schema: JsonSchema, isRequired: boolean): SchemaField {
  const base = { name, isRequired, description: sentenceOf(schema.description) };
  const options = optionsOf(schema);
  if (options) return { ...base, kind: 'choice', options };
  if (schema.type === 'boolean') return { ...base, kind: 'boolean' };
  const scalar = scalarOf(schema);
  if (scalar) return { ...base, kind: scalar, hint: hintOf(schema), isLong: isLong(scalar, schema) };
  if (schema.type === 'array') {
    const item = isRecord(schema.items) ? scalarOf(schema.items) : undefined;
    if (item) return { ...base, kind: 'list', item, max: numberOf(schema.maxItems) };
  }
  if (schema.type === 'object') {
    const fields = fieldsOfSchema(schema);
    if (fields && fields.length > 0) return { ...base, kind: 'group', fields };
    const item = isRecord(schema.additionalProperties) ? scalarOf(schema.additionalProperties) : undefined;
    if (item) return { ...base, kind: 'map', item };
  }
  return { ...base, kind: 'json' };
}

/** The values of an enum or a literal, or of a union of them. */
function optionsOf(schema: JsonSchema): (string | number | boolean)[] | undefined {
  const isValue = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(schema.enum) && schema.enum.every(isValue)) return schema.enum;
  if (isValue(schema.const)) return [schema.const as string];
  const forms = formsOf(schema)?.map(optionsOf);
  return forms?.every((form) => form !== undefined) ? forms.flat() : undefined;
}

const formsOf = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] | undefined => {
  const forms = anyOf ?? oneOf;
  return Array.isArray(forms) && forms.length > 0 && forms.every(isRecord) ? forms : undefined;
};

function scalarOf(schema: JsonSchema): ScalarKind | undefined {
  if (schema.type === 'string') return 'text';
  if (schema.type === 'number' || schema.type === 'integer') return schema.type;
  const forms = formsOf(schema)?.map(scalarOf);
  return forms?.every((form) => form !== undefined) ? 'scalar' : undefined;
}

/** A text without a limit, a format or a pattern may have lines: a script, or the body of a message. */
const isLong = (kind: ScalarKind, { maxLength, format, pattern }: JsonSchema): boolean =>
  kind === 'text' && format === undefined && pattern === undefined && (numberOf(maxLength) ?? 10_000) > 2000;

function hintOf(schema: JsonSchema): string {
  const [from, to] = [numberOf(schema.minimum), numberOf(schema.maximum)];
  const above = numberOf(schema.exclusiveMinimum);
  if (from !== undefined && to !== undefined) return `${from} to ${to}`;
  if (above !== undefined && to !== undefined) return `More than ${above}, at most ${to}`;
  return to === undefined ? '' : `At most ${to}`;
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;

const sentenceOf = (text: unknown): string =>
  typeof text === 'string' && text !== '' ? `${text[0]?.toUpperCase()}${text.slice(1)}` : '';

/** `timeoutSeconds` becomes "Timeout seconds", and `queueUrl` becomes "Queue URL". */
export function labelOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .map((word) => (ACRONYMS.includes(word.toUpperCase()) ? word.toUpperCase() : word.toLowerCase()));
  const label = words.join(' ');
  return `${label[0]?.toUpperCase() ?? ''}${label.slice(1)}`;
}

const ACRONYMS = ['URL', 'ARN', 'HTML', 'JSON', 'ID', 'S3', 'SQS', 'SNS', 'IP', 'API'];

/** The value of a text field. Undefined if it is empty. A text that is not a number stays a text, which the server refuses. */
export function valueOfText(kind: ScalarKind, text: string): string | number | undefined {
  if (text === '') return undefined;
  if (kind === 'text') return text;
  const isNumber = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text);
  return isNumber ? Number(text) : text;
}

export const textOfValue = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** The name in `{ "$secret": "name" }`. Undefined if the value is not such a reference. */
export const secretOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.$secret === 'string' && Object.keys(value).length === 1
    ? value.$secret
    : undefined;

/** Whether the control of a field can show a value. It shows other values as JSON. */
export function canShow(field: SchemaField, value: unknown): boolean {
  if (value === undefined) return true;
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' || secretOf(value) !== undefined;
    case 'number':
    case 'integer':
    case 'scalar':
      return typeof value === 'number' || typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return field.options.some((option) => option === value);
    case 'list':
      return Array.isArray(value) && value.every((item) => isShownItem(item));
    case 'map':
      return isRecord(value) && Object.values(value).every(isShownItem);
    case 'group':
      return isRecord(value);
    default:
      return true;
  }
}

const isShownItem = (item: unknown): boolean =>
  typeof item === 'string' || typeof item === 'number' || secretOf(item) !== undefined;

/** The names of params that the form has no field for. */
export const unknownNames = (fields: readonly SchemaField[], params: object): string[] =>
  Object.keys(params).filter((name) => !fields.some((field) => field.name === name));

/** A copy with a field set. An undefined value removes it. */
export function withField<T extends object>(record: T, name: string, value: unknown): T {
  const { [name]: _, ...rest } = record as Record<string, unknown>;
  return (value === undefined ? rest : { ...record, [name]: value }) as T;
}

/** Params to begin with: each required field that has only one meaningful start. */
export function initialParams(fields: readonly SchemaField[] | undefined): Record<string, unknown> {
  const entries = (fields ?? [])
    .filter(({ isRequired }) => isRequired)
    .flatMap((field): [string, unknown][] => {
      if (field.kind === 'choice' && field.options[0] !== undefined) return [[field.name, field.options[0]]];
      return field.kind === 'list' ? [[field.name, ['']]] : [];
    });
  return Object.fromEntries(entries);
}
