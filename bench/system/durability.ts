// The commits and fsyncs of a measurement, as a table.
import type { Counts } from './embedded.ts';

export interface Durability {
  readonly commits: number;
  readonly writes: number;
  /** A commit syncs the -wal file, a checkpoint syncs both files. */
  readonly fsyncs: number;
  /** `PRAGMA synchronous` */
  readonly synchronous: number;
}

type Counted = Pick<Counts, 'commits' | 'writes' | 'checkpoints' | 'synchronous'>;

const NONE: Pick<Counted, 'commits' | 'writes' | 'checkpoints'> = { commits: 0, writes: 0, checkpoints: 0 };

export function durabilityOf(after: Counted, before: typeof NONE = NONE): Durability {
  const commits = after.commits - before.commits;
  return {
    commits,
    writes: after.writes - before.writes,
    fsyncs: commits + 2 * (after.checkpoints - before.checkpoints),
    synchronous: after.synchronous,
  };
}

export const DURABILITY_COLUMNS = ['commits', 'writes per commit', 'fsyncs'] as const;

export const durabilityCells = ({ commits, writes, fsyncs }: Durability): number[] => [
  commits,
  commits === 0 ? 0 : writes / commits,
  fsyncs,
];

export const durabilityNote = ({ synchronous }: Durability): string =>
  `\`PRAGMA synchronous\` = ${synchronous} (2 is FULL): every commit is synced before it is acknowledged. Fsyncs as the writer counts them: one for each commit, two for each checkpoint.`;
