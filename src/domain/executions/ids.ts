// Names of things: jobs, executions, shards. Every writer computes the same name for the same thing.
import { hash as digest } from 'node:crypto';

/**
 * Names an execution within its job: the nominal due time as 13 digits of epoch milliseconds, so that string order
 * is time order. A run-now adds a suffix (`1796119200000-k3f9a1`), so it can never be an occurrence's key.
 */
export type DueKey = string;

/** The revision of what people start by hand: it is not bound to any schedule. */
export const MANUAL = 'byHand';

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

const sha256 = (...parts: string[]): Buffer => digest('sha256', JSON.stringify(parts), 'buffer');

/** With an idempotency key the job's id follows from (user, key): a repeated create meets its own first try. */
export const jobIdFromKey = (userId: string, key: string): string =>
  `job_${base62(sha256('job', userId, key), 20)}`;

export const fingerprint = (value: unknown): string => base62(sha256('body', canonical(value)), 16);

/** JSON with sorted keys: two bodies that say the same have the same text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** The owner of a message or of a running execution: 8 characters that do not show the user's id. Must never change. */
export const ownerHash = (userId: string): string => digest('sha256', userId, 'base64url').slice(0, 8);

/** FNV-1a: spreads job ids over shards, queues and index partitions; must never change. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  // FNV's low bits are weak in the last byte; one avalanche round makes `mod n` even
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}

export const shardOf = (jobId: string, shards: number): number => hash(jobId) % shards;
