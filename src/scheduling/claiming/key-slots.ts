// Slots of concurrency keys: how a claim finds a free one and acquires it (docs/protocol.md#concurrency-keys).
//
// The order is hold, slot, row, start. A slot is acquired after its hold, so a slot whose token is in no hold belongs to no
// run. A run whose hold is live has its slot, so a start needs no further read.

import { ownerHash } from '../../domain/digest.ts';
import { executionId } from '../../domain/executions/ids.ts';
import type { KeyLimit, KeyName, KeySlot } from '../../domain/jobs/concurrency-key.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { ExecutionKey, ReadOptions } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from '../records/confirm-write.ts';
import type { Claim, DecidedClaim } from './claim-result.ts';
import { type AcquiredHold, isLeased, undoClaim } from './confirm-start.ts';
import { release } from './fencing.ts';
import { isOver } from './holds.ts';

/** A slot that no running execution has. `seen` is its last content, and undefined if the slot was never used. */
interface FreeSlot extends KeyName {
  readonly n: number;
  readonly seen: KeySlot | undefined;
}

/** A free slot, or that the execution needs none. */
export type FoundSlot = FreeSlot | 'not needed';

/** Other claims may acquire the found slot first. After this many searches the claim is undone. */
const MAX_ROUNDS = 3;

type KeyedHead = Pick<Head, 'userId' | 'limit'>;

export const keyLimitOf = ({ userId, limit }: KeyedHead): KeyLimit | undefined =>
  limit && { owner: ownerHash(userId), ...limit };

/**
 * Looks for a slot before the hold is written, so that a claim without a slot writes nothing. Undefined if all are taken. The
 * read may be stale, because the slot is acquired by a conditional write.
 */
export const findSlot = async (
  context: Context,
  head: Head,
  { due }: Pick<Message, 'due'>,
): Promise<FoundSlot | undefined> =>
  head.limit ? freeSlot(context, head, { jobId: head.jobId, due }, { consistent: false }) : 'not needed';

/**
 * Acquires a slot for a hold, then starts. Without a slot the hold is given up, and the message comes back later. No attempt is
 * counted. `restore`: the hold before it is put back. `release`: the lease ends now, which is enough if the row or the hold item
 * says what the execution is. `expire`: the lease has ended, and the hold stays. A takeover needs it: the lost worker may fence
 * the row after this, and a hold with its token would count an attempt that never began.
 */
export async function startInSlot(
  context: Context,
  acquired: AcquiredHold,
  found: FoundSlot,
  otherwise: 'restore' | 'release' | 'expire',
  start: (acquired: AcquiredHold) => Promise<Claim>,
): Promise<Claim> {
  const { head, message } = acquired;
  if (!head.limit) return start(acquired);
  const giveUp = async (): Promise<void> => {
    if (otherwise === 'restore') return undoClaim(context, acquired);
    // not 0: a hold without a row whose lease ended long ago looks like one whose row has expired
    const { clock, settings } = context;
    await release(context, acquired, otherwise === 'release' ? 0 : clock.now() - settings.clockSkewMs - 1);
  };
  let slot: KeySlot | undefined;
  try {
    slot = await acquireSlot(context, acquired, found);
  } catch (error) {
    await giveUp();
    throw error;
  }
  if (slot) return start({ ...acquired, slot });
  await giveUp();
  return waitForSlot(context, head, message);
}

/** The slot of a hold that was just acquired. Undefined if all slots are taken. */
export async function acquireSlot(
  context: Context,
  acquired: AcquiredHold,
  found: FoundSlot,
): Promise<KeySlot | undefined> {
  const { store } = context;
  const { head, hold } = acquired;
  const own = { jobId: head.jobId, due: hold.due };
  let free = isOf(head, found) ? found : undefined;
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    free ??= await freeSlot(context, head, own, { consistent: true });
    // after the search: a holder that was taken over would find the slot of its successor, and take it for its own
    if (!free || !isLeased(context, acquired)) return undefined;
    const { owner, key, n, seen } = free;
    const slot: KeySlot = { owner, key, n, ...own, token: hold.token, leaseUntil: hold.leaseUntil };
    const isOurs = async () =>
      (await store.readKeySlots(slot, { consistent: true })).some((s) => s.n === n && s.token === slot.token);
    if (await confirmWrite(() => store.writeKeySlot(seen, slot), isOurs)) return slot;
    free = undefined;
  }
  return undefined;
}

/** Whether the slot is one of the job's limit. An edit may have changed the limit since the search. */
const isOf = ({ limit }: Head, found: FoundSlot): found is FreeSlot =>
  found !== 'not needed' && found.key === limit?.key && found.n < limit.concurrent;

async function freeSlot(
  context: Context,
  head: KeyedHead,
  own: ExecutionKey,
  read: ReadOptions,
): Promise<FreeSlot | undefined> {
  const limit = keyLimitOf(head);
  if (!limit) return undefined;
  const { concurrent, ...name } = limit;
  const used = (await context.store.readKeySlots(name, read)).filter(({ n }) => n < concurrent);
  const of = (seen: KeySlot): FreeSlot => ({ ...name, n: seen.n, seen });
  // only the worker with the live hold of an execution runs it
  const mine = used.find(({ jobId, due }) => jobId === own.jobId && due === own.due);
  if (mine) return of(mine);
  const numbers = new Set(used.map(({ n }) => n));
  const unused = Array.from({ length: concurrent }, (_, n) => n).filter((n) => !numbers.has(n));
  const n = pick(context, unused);
  if (n !== undefined) return { ...name, n, seen: undefined };

  // the oldest has most likely ended, so most searches read one row
  const oldestFirst = used.toSorted((a, b) => a.leaseUntil - b.leaseUntil);
  for (const some of [oldestFirst.slice(0, 1), oldestFirst.slice(1)]) {
    const ended = pick(context, await endedSlots(context, some));
    if (ended) return of(ended);
  }
  for (const slot of oldestFirst) if (await isAbandoned(context, slot)) return of(slot);
  return undefined;
}

/** Claims that search at the same time should not find the same slot. */
const pick = <T>({ random }: Context, items: readonly T[]): T | undefined =>
  items[Math.floor(random.float() * items.length)];

/**
 * The slots whose run has ended: the row has the token of the slot and is not RUNNING. No later write makes that untrue, so the
 * read may be stale. A retry that waits for its next attempt does not keep its slot.
 */
async function endedSlots({ store }: Context, slots: readonly KeySlot[]): Promise<KeySlot[]> {
  if (slots.length === 0) return [];
  const keys = slots.map(({ jobId, due }) => ({ jobId, due }));
  const rows = await store.readRows(keys, { consistent: false });
  const ended = new Set(rows.filter(({ status }) => status !== 'RUNNING').map(({ fence }) => fence));
  return slots.filter(({ token }) => ended.has(token));
}

/**
 * Whether the holder of a slot runs nothing any more, although no row says so. Its claim was undone, its row has expired, it was
 * taken over, or it is lost and its lease is over.
 */
async function isAbandoned(context: Context, { jobId, due, token, leaseUntil }: KeySlot): Promise<boolean> {
  const { store, clock, settings, boot } = context;
  // before the read: a holder that is over by then starts and renews nothing after the read
  const readAt = clock.now();
  // within the first lease the holder most likely runs. An embedded server reads for nothing, and knows dead holders by boot
  if (boot === undefined && readAt <= leaseUntil + settings.clockSkewMs) return false;
  const head = await store.readHead(jobId, { consistent: true });
  const hold = head?.overlap === 'allow' ? (await store.readHoldItem(jobId, due))?.hold : head?.hold;
  return hold?.token !== token || isOver(context, hold, readAt);
}

/** A message that has waited for w asks again after w / 4, within these bounds and with jitter. */
const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

export function waitForSlot(context: Context, head: KeyedHead, message: Message): DecidedClaim {
  const { clock, random, log } = context;
  const limit = keyLimitOf(head);
  const now = clock.now();
  const waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, (now - message.fireAt) / 4));
  log.debug('waits for a slot of its concurrency key', {
    executionId: executionId(message.jobId, message.due),
    key: limit?.key,
  });
  const at = now + Math.round(waitMs * (0.75 + 0.5 * random.float()));
  return { kind: 'later', at, ...(limit && { waitsFor: limit }) };
}
