// The shards of each watcher: disjoint ranges of about equal size that cover all shards.
import { z } from 'zod';

/** From `from` (inclusive) to `to` (exclusive). */
export interface ShardRange {
  readonly from: number;
  readonly to: number;
}

/** The Lambda event of a pass. `recover` refills a queue that has lost its contents (docs/runbook.md). */
export const passSchema = z
  .strictObject({ from: z.int().min(0), to: z.int().min(1), recover: z.boolean().default(false) })
  .refine(({ from, to }) => from < to, { error: 'must have from below to' });

export const shardRanges = (shards: number, watchers: number): ShardRange[] =>
  Array.from({ length: watchers }, (_, watcher) => ({
    from: Math.floor((watcher * shards) / watchers),
    to: Math.floor(((watcher + 1) * shards) / watchers),
  }));

export const shardsOf = ({ from, to }: ShardRange): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
