// Names of jobs. A job with a namespace is found by its namespace and name, which one user owns.
import { z } from 'zod';
import { formatValue } from '../validation/validation.ts';

export const MAX_NAMESPACE = 64;
export const MAX_JOB_NAME = 100;

const nameOf = (max: number, what: string) => {
  const message = `must be a ${what}: 1 to ${max} letters, digits, "-", "_" or ".", beginning with a letter or digit`;
  return z.string().regex(new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${max - 1}}$`), {
    error: ({ input }) => `${message}, got ${formatValue(input)}`,
  });
};

export const namespaceSchema = nameOf(MAX_NAMESPACE, 'namespace');
export const jobNameSchema = nameOf(MAX_JOB_NAME, 'name');

/** The identity of a job, within its user. */
export interface JobName {
  readonly namespace: string;
  readonly name: string;
}

/** Which job has a name. The item stays after the job has ended, so that a later job of the name is created once. */
export interface NamePointer extends JobName {
  readonly userId: string;
  /** The job of the name. Its head is written after the pointer, so it may not exist yet. */
  readonly jobId: string;
  /** The job that `jobId` replaces. It is cancelled after the head of `jobId` is written. */
  readonly previous?: string;
  /** A random value, fresh in every write of the pointer. Every write is conditional on it. */
  readonly stamp: string;
}

export const nameText = ({ namespace, name }: JobName): string => `${namespace}/${name}`;
