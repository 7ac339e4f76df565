// Merges two versions of a job that were changed at the same time: the draft, and the one that another user has saved.
import { isRecord, isSameValue } from '../../../../src/domain/value-changes.ts';
import { applyFields, type DraftField, fieldsOf, type JobDraft } from '../draft/job-draft.ts';

/** `mine`, `theirs` and `base` are undefined if the version has no such field. */
export interface MergeField {
  /** The field, such as `schedule` or `params.url`. */
  readonly path: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Both sides have changed it, to different values. */
  readonly isConflict: boolean;
}

export type Side = 'mine' | 'theirs';

/** These fields are merged by their parts. The parts of others, such as a schedule, depend on each other. */
const DIVISIBLE: readonly DraftField[] = ['params', 'retry', 'misfire', 'tags'];

/** The fields in which the two versions differ. */
export function mergeFields(base: JobDraft, mine: JobDraft, theirs: JobDraft): MergeField[] {
  const [from, own, other] = [fieldsOf(base), fieldsOf(mine), fieldsOf(theirs)];
  return (Object.keys(own) as DraftField[])
    .flatMap((name): Omit<MergeField, 'isConflict'>[] => {
      // Params of different tasks have nothing in common.
      const isDivided = DIVISIBLE.includes(name) && (name !== 'params' || mine.task === theirs.task);
      if (!isDivided) return [{ path: name, base: from[name], mine: own[name], theirs: other[name] }];
      const parts = [from[name], own[name], other[name]].map((value) => (isRecord(value) ? value : {}));
      const names = [...new Set(parts.flatMap((part) => Object.keys(part)))];
      return names.map((part) => ({
        path: `${name}.${part}`,
        base: parts[0]?.[part],
        mine: parts[1]?.[part],
        theirs: parts[2]?.[part],
      }));
    })
    .filter(({ mine: a, theirs: b }) => !isSameValue(a, b))
    .map((field) => ({
      ...field,
      isConflict: !isSameValue(field.base, field.mine) && !isSameValue(field.base, field.theirs),
    }));
}

/** The side that is proposed for a field: the one that has changed it. For a conflict, mine. */
export const proposedSide = ({ base, mine }: MergeField): Side =>
  isSameValue(base, mine) ? 'theirs' : 'mine';

/** Their version with those fields of mine that were chosen. */
export function merged(
  theirs: JobDraft,
  mine: JobDraft,
  fields: readonly MergeField[],
  sideOf: (path: string) => Side,
): JobDraft {
  const own = fieldsOf(mine);
  const result: Record<string, unknown> = { ...fieldsOf(theirs) };
  for (const { path, mine: value } of fields.filter((field) => sideOf(field.path) === 'mine')) {
    const [name = '', ...rest] = path.split('.');
    const part = rest.join('.');
    if (part === '') result[name] = own[name as DraftField];
    else result[name] = withPart(result[name], part, value);
  }
  return applyFields(
    { ...theirs, params: {}, tags: [], limit: undefined },
    { ...result, schedule: result.schedule ?? null, limit: result.limit ?? null, name: result.name ?? '' },
  );
}

function withPart(record: unknown, part: string, value: unknown): Record<string, unknown> {
  const { [part]: _, ...rest } = isRecord(record) ? record : {};
  return value === undefined ? rest : { ...rest, [part]: value };
}
