// Names of things: jobs, executions, shards. Every writer computes the same name for the same thing.
import { hash } from '../hash.ts';

/**
 * Names an execution within its job: the nominal due time as 13 digits of epoch milliseconds, so that string order
 * is time order. A run-now adds a suffix (`1796119200000-k3f9a1`), so it can never be an occurrence's key.
 */
export type DueKey = string;

/** The revision of manual runs (run-now, retry, backfill), which belong to no schedule. The value is stored. */
export const MANUAL = 'byHand';

/** Whether a message, row, hold or entry belongs to a manual run. Pause, edit and misfire do not affect it. */
export const isManual = ({ revision }: { readonly revision: string }): boolean => revision === MANUAL;

export function dueKey(dueAt: number): DueKey {
  if (!(dueAt >= 0 && dueAt < 1e13)) throw new RangeError(`${dueAt} is no due time: keys hold 13 digits`);
  return String(dueAt).padStart(13, '0');
}
/** The end of a range that a person asks for: any time at all, moved to where keys can be. */
export const dueBound = (time: number): DueKey => dueKey(Math.min(Math.max(time, 0), 1e13 - 1));

export const manualKey = (dueAt: number, suffix: string): DueKey => `${dueKey(dueAt)}-${suffix}`;
export const dueAtOf = (due: DueKey): number => Number(due.slice(0, 13));

export const executionId = (jobId: string, due: DueKey): string => `${jobId}.${due}`;

export function parseExecutionId(id: string): { jobId: string; due: DueKey } | undefined {
  const found = /^(job_[0-9a-zA-Z]{20})\.(\d{13}(?:-[0-9a-zA-Z]{1,16})?)$/.exec(id);
  return found?.[1] && found[2] ? { jobId: found[1], due: found[2] } : undefined;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` base-62 characters made of random or hashed bytes (one byte each; the slight bias does not matter). */
export function base62(bytes: Uint8Array, length: number): string {
  let text = '';
  for (const byte of bytes.subarray(0, length)) text += ALPHABET[byte % 62];
  return text;
}

export const shardOf = (jobId: string, shards: number): number => hash(jobId) % shards;
