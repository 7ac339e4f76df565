// Names that are SHA-256 digests of their content: the id of an idempotent create, fingerprints, and owners of messages.
import { hash as digest } from 'node:crypto';
import { base62 } from './executions/ids.ts';

const sha256 = (...parts: string[]): Buffer => digest('sha256', JSON.stringify(parts), 'buffer');

/** The id of a job that is created with an idempotency key. A repeated create computes the same id and finds the job. */
export const jobIdFromKey = (userId: string, key: string): string =>
  `job_${base62(sha256('job', userId, key), 20)}`;

/** 16 characters that are equal for equal JSON values, whatever the order of their keys. */
export const fingerprint = (value: unknown): string => base62(sha256('body', canonical(value)), 16);

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/**
 * The owner of a message or of a running execution: 8 characters that do not reveal the user's id. Stored heartbeats and
 * queued messages contain it, so it must never change.
 */
export const ownerHash = (userId: string): string => digest('sha256', userId, 'base64url').slice(0, 8);
