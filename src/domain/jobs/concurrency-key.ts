// The concurrency key of a job. At most `concurrent` executions with one key of one owner run at once, over all workers
// (docs/protocol.md#concurrency-keys).
import { z } from 'zod';
import type { DueKey } from '../executions/ids.ts';
import { formatValue } from '../validation/validation.ts';

/** The slots of one key are read by one query, which is 4 RRU for 100 of them. A limit above it is seldom about concurrency. */
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

/** The name of a key's slots. */
export interface KeyName {
  /** `ownerHash` of the owner. */
  readonly owner: string;
  readonly key: string;
}

/** The slots of a key that a job may use: 0 to `concurrent` − 1. */
export interface KeyLimit extends KeyName {
  readonly concurrent: number;
}

/** A slot of a key. It names the last execution that ran in it, which may have ended. */
export interface KeySlot extends KeyName {
  /** From 0 on. */
  readonly n: number;
  readonly jobId: string;
  readonly due: DueKey;
  /** The token of the hold that acquired the slot. */
  readonly token: string;
  /** The lease of that hold when it acquired the slot. Heartbeats do not extend it. */
  readonly leaseUntil: number;
}
