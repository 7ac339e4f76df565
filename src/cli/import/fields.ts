// Reads the fields of an imported record and remembers which ones were read. A field that was neither read nor reported is
// reported at the end, so nothing is dropped silently.

export type FieldPath = readonly (string | number)[];

export interface Note {
  /** `refused`: the record becomes no job. `dropped`: a field is not carried over. `changed`: it has another effect. */
  readonly kind: 'refused' | 'dropped' | 'changed';
  /** The name of the record, such as a schedule or a line. */
  readonly record: string;
  /** The field, such as `Target.RoleArn`. Empty for the record as a whole. */
  readonly field: string;
  readonly value?: unknown;
  readonly reason: string;
}

export const fieldText = (path: FieldPath): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );

const isBranch = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && Object.keys(value).length > 0;

/** The paths of all values that contain no others. */
export function leavesOf(value: unknown, path: FieldPath = []): FieldPath[] {
  if (!isBranch(value)) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, i) => [i, item])
    : Object.entries(value);
  return entries.flatMap(([name, item]) => leavesOf(item, [...path, name]));
}

export class Fields {
  readonly record: string;
  readonly notes: Note[] = [];
  readonly #root: unknown;
  /** Paths of which everything is used or reported. */
  readonly #known: FieldPath[] = [];

  constructor(record: string, root: unknown) {
    this.record = record;
    this.#root = root;
  }

  /** The value, without using it. */
  peek(...path: FieldPath): unknown {
    return path.reduce<unknown>(
      (value, part) =>
        value !== null && typeof value === 'object' && Object.hasOwn(value, part)
          ? (value as Record<string | number, unknown>)[part]
          : undefined,
      this.#root,
    );
  }

  /** The value, which the job carries over as a whole. */
  use(...path: FieldPath): unknown {
    const value = this.peek(...path);
    if (value !== undefined) this.#known.push(path);
    return value;
  }

  /** A text that the job carries over. Undefined if it is absent. Another type is reported. */
  useText(...path: FieldPath): string | undefined {
    const value = this.peek(...path);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') {
      this.note('dropped', path, 'it is not text');
      return undefined;
    }
    this.#known.push(path);
    return value;
  }

  /** Reports each leaf below the path that was neither used nor reported. */
  drop(path: FieldPath, reason: string): void {
    const value = this.peek(...path);
    if (value === undefined) return;
    for (const leaf of leavesOf(value, path)) if (!this.#isKnown(leaf)) this.note('dropped', leaf, reason);
  }

  note(kind: Note['kind'], path: FieldPath, reason: string): void {
    const value = path.length === 0 ? undefined : this.peek(...path);
    this.#known.push(path);
    this.notes.push({
      kind,
      record: this.record,
      field: fieldText(path),
      ...(value !== undefined && { value }),
      reason,
    });
  }

  /** Reports what was neither used nor reported. */
  finish(): Note[] {
    this.drop([], 'Punctual has no such field');
    return this.notes;
  }

  #isKnown = (leaf: FieldPath): boolean =>
    this.#known.some((path) => path.length > 0 && path.every((part, i) => leaf[i] === part));
}

/** The record becomes no job. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
