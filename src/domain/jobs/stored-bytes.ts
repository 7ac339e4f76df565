// What a job occupies in the store: its head, the definitions of all its versions, and the records of its changes. The sum is in the
// head, so a count of an owner's bytes reads the index of its jobs and nothing else.

/** A pair without names, to keep the head below 1 KB: the bytes of the definition in force, and of all that is stored of the job. */
export type StoredBytes = readonly [definition: number, all: number];

/** A job of a version that stored no bytes. Its definition counts as a small one. */
const EARLIER_JOB: StoredBytes = [1_000, 3_000];

export const bytesOfJob = ({ bytes = EARLIER_JOB }: { readonly bytes?: StoredBytes }): StoredBytes => bytes;

/** Bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Keys, times and ids of a head with a hold, and of its entry in the index. */
const HEAD_BYTES = 600;
/** Keys, times and ids of a record. */
const RECORD_BYTES = 300;

/** `fields`: those of the head. The record of the create repeats most of them. */
export const bytesOfNewJob = (definition: number, fields: object, note: string | undefined): number =>
  definition + HEAD_BYTES + RECORD_BYTES + 2 * jsonBytes(fields) + jsonBytes(note);

/** The record has the changed fields before and after, and the head has those after. `definition`: bytes of a new version. */
export const bytesOfChange = (
  { before, after, note }: { before?: object; after?: object; note?: string | undefined },
  definition = 0,
): number => definition + RECORD_BYTES + jsonBytes(before) + 2 * jsonBytes(after) + jsonBytes(note);
