// The normal path of a claim, early or at the fire time. Everything else is decided step by step (claim-exclusive.ts).
import { isManual } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { hasEnded } from './holds.ts';
import { isLate } from './misfire.ts';
import { isCurrent, mayHaveRow } from './occurrence-validity.ts';

/**
 * Whether an execution may be claimed without another read. It must be a first claim of an occurrence in force, in time and
 * without a row. No other execution may hold the job. The compare-and-set on the head protects against a stale read.
 */
export const isOrdinaryClaim = (
  context: Context,
  message: Message,
  head: Head,
  holderRow: Row | undefined,
): boolean =>
  !isManual(message) &&
  isCurrent(head, message) &&
  !mayHaveRow(head, message) &&
  !isLate(context, head, message) &&
  (!head.hold || hasEnded(head.hold, holderRow));
