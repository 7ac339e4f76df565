// The ids of executions, the keys of occurrences, and the shard of a job. Every process computes the same ones. No Node imports:
// browsers use this file too.
import { hash } from '../hash.ts';

/**
 * Identifies an execution within its job: the due time as 13 digits of epoch milliseconds, so that string order is time
 * order. The key of a manual run has a suffix (`1796119200000-k3f9a1`), so it never equals the key of an occurrence.
 */
export type DueKey = string;

/** The revision of manual runs (run-now, retry, backfill), which belong to no schedule. The value is stored. */
export const MANUAL = 'byHand';

/** Whether a message, row or entry belongs to a manual run. Pause, edit and misfire do not affect it. */
export const isManual = ({ revision }: { readonly revision: string }): boolean => revision === MANUAL;

export function dueKey(dueAt: number): DueKey {
  if (!(dueAt >= 0 && dueAt < 1e13))
    throw new RangeError(`due time ${dueAt} is not between 0 and 9999999999999`);
  return String(dueAt).padStart(13, '0');
}
/** The key for one end of a queried range. A time outside the range of keys is moved to its nearest end. */
export const dueBound = (time: number): DueKey => dueKey(Math.min(Math.max(time, 0), 1e13 - 1));

export const manualKey = (dueAt: number, suffix: string): DueKey => `${dueKey(dueAt)}-${suffix}`;
export const dueAtOf = (due: DueKey): number => Number(due.slice(0, 13));

export const executionId = (jobId: string, due: DueKey): string => `${jobId}.${due}`;

export function parseExecutionId(id: string): { jobId: string; due: DueKey } | undefined {
  const found = /^(job_[0-9a-zA-Z]{20})\.(\d{13}(?:-[0-9a-zA-Z]{1,16})?)$/.exec(id);
  return found?.[1] && found[2] ? { jobId: found[1], due: found[2] } : undefined;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` base-62 characters, one per random or hashed byte. The slight bias of `% 62` does not matter for ids. */
export function base62(bytes: Uint8Array, length: number): string {
  let text = '';
  for (const byte of bytes.subarray(0, length)) text += ALPHABET[byte % 62];
  return text;
}

export const shardOf = (jobId: string, shards: number): number => hash(jobId) % shards;
