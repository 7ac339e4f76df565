// The draft in the fragment of the address, so that a reload, a bookmark or a link restores it. The fragment never reaches the
// server, because params may be confidential. A long draft is kept by the tab, and the address has its key.
import { isSameValue } from '../../../../src/domain/value-changes.ts';
import { applyFields, changesBetween, type JobDraft } from './job-draft.ts';

/** A longer address cannot be shared in every program. */
export const MAX_DRAFT_LENGTH = 4000;

/** The draft in the address: the fields that differ from the start, and the version of the edited job. */
export interface KeptDraft {
  readonly version?: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** `getItem` and `setItem` of a storage. */
export interface DraftStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

/** The fragment with the leading `#`. Empty if the draft has not been changed. */
export function fragmentOf(kept: KeptDraft, key: string, storage: DraftStorage): string {
  if (Object.keys(kept.fields).length === 0) return '';
  const json = JSON.stringify(kept);
  const text = encode(json);
  if (text.length <= MAX_DRAFT_LENGTH) return `#draft=${text}`;
  storage.setItem(storageKey(key), json);
  return `#kept=${encodeURIComponent(key)}`;
}

/** Undefined if the fragment has no draft, or one that cannot be read. */
export function keptIn(fragment: string, storage: DraftStorage): KeptDraft | undefined {
  const params = new URLSearchParams(fragment.replace(/^#/, ''));
  const key = params.get('kept');
  const json = params.get('draft') ?? (key === null ? null : storage.getItem(storageKey(key)));
  if (json === null) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    const { version, fields } = Object(value);
    if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) return undefined;
    return { ...(Number.isInteger(version) && { version }), fields };
  } catch {
    return undefined;
  }
}

const storageKey = (key: string): string => `punctual.draft.${key}`;

/** Brackets, quotes and commas stay legible. Characters that end a link in other programs are encoded. */
const encode = (json: string): string =>
  encodeURIComponent(json).replace(/%(7B|7D|5B|5D|3A|2C)/g, (code) => decodeURIComponent(code));

/** The fields of `draft` that differ from `start`. A job that runs now has the schedule null. */
export function keptFields(start: JobDraft, draft: JobDraft): KeptDraft['fields'] {
  const { schedule: _, ...changes } = changesBetween(start, draft);
  const schedule = isSameValue(start.schedule, draft.schedule) ? {} : { schedule: draft.schedule ?? null };
  return { ...changes, ...schedule };
}

export const restored = (start: JobDraft, { fields }: KeptDraft): JobDraft => applyFields(start, fields);
