// Which watcher has which shards: ranges of equal size, so that no two have one in common and none is left out.
import { z } from 'zod';

/** From `from` on, `to` excluded. */
export interface ShardRange {
  readonly from: number;
  readonly to: number;
}

/** The event of a pass: its shards, and whether the queue has lost its contents (docs/runbook.md). */
export const passSchema = z
  .strictObject({ from: z.int().min(0), to: z.int().min(1), recover: z.boolean().default(false) })
  .refine(({ from, to }) => from < to, { error: 'has nothing between from and to' });

export const shardRanges = (shards: number, watchers: number): ShardRange[] =>
  Array.from({ length: watchers }, (_, watcher) => ({
    from: Math.floor((watcher * shards) / watchers),
    to: Math.floor(((watcher + 1) * shards) / watchers),
  }));

export const shardsOf = ({ from, to }: ShardRange): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
