// When an early claim begins: 150 to 400 ms before the fire time, and earlier while the worker has many messages in hand.
import { hash } from '../../domain/hash.ts';
import type { Message } from '../../queue/queue.ts';

/** The latest early claim before a fire time. */
const EARLY_MS = 150;
/** Early claims are spread over this time, by job. The writes of jobs that are due together then do not coincide. */
const EARLY_SPREAD_MS = 250;
/** Each message in hand adds this much to the spread, up to MAX_EARLY_LOAD_MS in all. */
const EARLY_MS_PER_MESSAGE = 0.15;
const MAX_EARLY_LOAD_MS = 700;
/** Early claims begin at whole multiples of this, so that the store reads many heads with one request. */
const EARLY_STEP_MS = 50;

/**
 * The earliest claim before a fire time. A message must have been delivered by then. It is shorter than
 * CHANGE_RETURNS_AFTER_MS, so that an early claim may start without another read.
 */
export const EARLIEST_CLAIM_MS = EARLY_MS + EARLY_SPREAD_MS + MAX_EARLY_LOAD_MS;

export function earlyClaimAt({ jobId, fireAt }: Message, messagesInHand: number): number {
  const loadMs = Math.min(messagesInHand * EARLY_MS_PER_MESSAGE, MAX_EARLY_LOAD_MS);
  const earlyMs = EARLY_MS + (hash(jobId) % (EARLY_SPREAD_MS + loadMs));
  return Math.floor((fireAt - earlyMs) / EARLY_STEP_MS) * EARLY_STEP_MS;
}
