// The concurrency key of a job. At most `concurrent` executions with one key of one owner run at once, over all workers
// (docs/protocol.md#seats).
import { z } from 'zod';
import type { DueKey } from '../executions/ids.ts';
import { formatValue } from '../validation/validation.ts';

/** The seats of one key are read by one query, which is 4 RRU for 100 of them. A limit above it is seldom about concurrency. */
export const MAX_CONCURRENT = 100;
const MAX_KEY_LENGTH = 64;

export const limitSchema = z
  .strictObject({
    key: z
      .string()
      .regex(/^[!-~]([ -~]{0,62}[!-~])?$/, {
        error: ({ input }) =>
          `must have 1 to ${MAX_KEY_LENGTH} printable ASCII characters without a space at either end, got ${formatValue(input)}`,
      })
      .describe("name that is shared by all of the owner's jobs with this limit"),
    concurrent: z
      .int()
      .min(1)
      .max(MAX_CONCURRENT)
      .describe('maximum number of executions with this key that run at once'),
  })
  .describe(
    'limits how many executions with one key run at once, over all jobs of the owner and all workers',
  );

export type ConcurrencyLimit = z.infer<typeof limitSchema>;

/** The name of a key. Its seats are the places for running executions. */
export interface KeyName {
  /** `ownerHash` of the owner. */
  readonly owner: string;
  readonly key: string;
}

/** The seats of a key that a job may use: 0 to `concurrent` − 1. */
export interface KeyLimit extends KeyName {
  readonly concurrent: number;
}

/** A seat of a key. It names the execution that took it last, as a lock does. It is free if that row is not RUNNING with its number, or its lease is over. */
export interface Seat extends KeyName {
  /** From 0 on. */
  readonly n: number;
  readonly jobId: string;
  readonly due: DueKey;
  /** The number in the row of that execution when the seat was taken. */
  readonly number: number;
}
