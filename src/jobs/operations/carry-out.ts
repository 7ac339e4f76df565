// Carries out background operations in steps (docs/decisions/0031).
//
// One process at a time takes the operation by compare-and-set, with a lease. A step acts first and is committed after. If a
// process dies in between, the step is repeated, so every act must be idempotent. A stop, or another process after the lease,
// changes the stamp. Then the commit fails, and the process releases the operation.

import { forEachLimit } from '../../concurrency/map-limit.ts';
import { onBehalfOf } from '../../concurrency/request-turns.ts';
import {
  isOpen,
  type OpenOperation,
  type Operation,
  refusalsOf,
} from '../../domain/jobs/background-operation.ts';
import { type Context, isClockRight } from '../../scheduling/context.ts';
import { confirmWrite } from '../../scheduling/records/confirm-write.ts';
import { WriterTooSlow } from '../../scheduling/records/writer-deadline.ts';
import { withSearchBudget } from '../../scheduling/searches.ts';
import { backfilling } from './backfill-steps.ts';
import { bulkChanging, isCounting } from './bulk-steps.ts';
import { erasing } from './erase-steps.ts';
import type { Acted, Turn, Work } from './operation-work.ts';

const WORK: Readonly<Record<Operation['kind'], Work>> = {
  backfill: backfilling,
  bulk: bulkChanging,
  erasure: erasing,
};

/** After this time an operation yields to the next one. */
const SLICE_MS = 5_000;
/** After this time, a round begins no further operation of a user that had a turn in it. */
const ROUND_MS = 10_000;
const MAX_CONCURRENT = 4;
const MAX_LISTED = 1_000;
/** An operation fails if it has not ended after this time. */
const MAX_AGE_MS = 86_400_000;
/** A listed operation that was never written is removed from the list after this time. */
const DELIST_AFTER_MS = 600_000;

/** Carries out open operations in turns until each has ended or is held by another process. 2 RRU if there is none. */
export async function carryOutOperations(context: Context, mayGoOn: () => boolean): Promise<void> {
  try {
    while (mayGoOn() && isClockRight(context) && (await oneRound(context, mayGoOn)));
  } catch (error) {
    context.log.warn('failed to list open operations', { error: String(error) });
  }
}

/**
 * Gives the first open operation of every user a turn, and further ones while the round has time. Otherwise a hundred operations of one
 * user would delay the next turn of another by minutes. True if some are still open.
 */
async function oneRound(context: Context, mayGoOn: () => boolean): Promise<boolean> {
  const open = userByUser(await context.store.listOpenOperations(MAX_LISTED));
  const hasTime = timeSlice(context, ROUND_MS, mayGoOn);
  let left = false;
  await forEachLimit(open, MAX_CONCURRENT, async ({ one, rank }) => {
    if (!mayGoOn()) return;
    if (rank > 0 && !hasTime()) {
      left = true;
      return;
    }
    try {
      const carried = () =>
        withSearchBudget(context.searchLimits, () =>
          carryOut(context, one, timeSlice(context, SLICE_MS, mayGoOn)),
        );
      if (await onBehalfOf(one.userId, carried)) left = true;
    } catch (error) {
      // the uncommitted step is repeated after the lease
      context.log.warn('operation interrupted', { operation: one.id, error: String(error) });
    }
  });
  return left;
}

export const timeSlice = ({ clock }: Context, ms: number, mayGoOn: () => boolean): (() => boolean) => {
  const end = clock.monotonic() + ms;
  return () => clock.monotonic() < end && mayGoOn();
};

/** The first operation of every user, then the second of every user, and so on. */
function userByUser(open: readonly OpenOperation[]): { one: OpenOperation; rank: number }[] {
  const ranks = new Map<string, number>();
  const ranked = open.map((one) => {
    const rank = ranks.get(one.userId) ?? 0;
    ranks.set(one.userId, rank + 1);
    return { one, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank);
}

/** True if a part was carried out and more is left. False if the operation has ended, must wait, or another process holds it. */
export async function carryOut(
  context: Context,
  listed: OpenOperation,
  mayGoOn: () => boolean,
): Promise<boolean> {
  const { store, clock, random, settings } = context;
  const seen = await store.readOperation(listed.id);
  const now = clock.now();
  if (!seen || !isOpen(seen)) {
    if (seen || now - listed.createdAt > DELIST_AFTER_MS) await store.delistOperation(listed);
    return false;
  }
  if (isHeld(context, seen)) return false;
  const holder = random.id(12);
  let turn = newTurn(context, mayGoOn);
  const taken = {
    ...seen,
    status: 'running' as const,
    holder,
    leaseUntil: now + settings.operationLeaseMs,
  };
  let operation = await replaceOperation(
    context,
    seen,
    now - seen.createdAt > MAX_AGE_MS ? tooOld(seen) : taken,
  );
  let waits = false;
  while (operation && isOpen(operation)) {
    const step = await carryOutStep(context, operation, turn);
    turn = newTurn(context, mayGoOn);
    waits = step.waits === true;
    const goesOn = mayGoOn() && !waits;
    const next = after(operation, step);
    const leaseUntil = goesOn && isOpen(next) ? clock.now() + settings.operationLeaseMs : 0;
    operation = await replaceOperation(context, operation, { ...next, leaseUntil });
    if (!goesOn) break;
  }
  if (!operation) await releaseOperation(context, listed.id, holder);
  else if (!isOpen(operation)) await store.delistOperation(operation);
  return operation !== undefined && isOpen(operation) && !waits;
}

/**
 * Created before the lease is written. Decisions are sent in the first half of the lease, so that they have arrived by its end.
 */
function newTurn({ clock, settings }: Context, mayGoOn: () => boolean): Turn {
  const end = clock.monotonic() + settings.operationLeaseMs / 2;
  return {
    mayGoOn: () => clock.monotonic() < end && mayGoOn(),
    inTime() {
      if (clock.monotonic() >= end)
        throw new WriterTooSlow(
          `the step took more than ${settings.operationLeaseMs / 2} ms and will be repeated`,
        );
    },
  };
}

/** Ends the lease of an operation that was stopped during a step, so that the stop does not wait for the lease's end. */
async function releaseOperation(context: Context, id: string, holder: string): Promise<void> {
  const seen = await context.store.readOperation(id);
  if (seen && !isOpen(seen) && seen.holder === holder)
    await replaceOperation(context, seen, { ...seen, leaseUntil: 0 });
}

/** A lease with an end beyond the longest possible one was written by a wrong clock, and is ignored. */
export function isHeld({ clock, settings }: Context, { leaseUntil }: Operation): boolean {
  const left = leaseUntil + settings.clockSkewMs - clock.now();
  return left > 0 && left <= settings.operationLeaseMs + 2 * settings.clockSkewMs;
}

async function carryOutStep(context: Context, operation: Operation, turn: Turn): Promise<Acted> {
  const { upcoming, act } = WORK[operation.kind];
  const { keys, beyond, stopped, counted } = await upcoming(context, operation);
  if (stopped !== undefined) return { done: 0, refused: [], stopped };
  if (counted !== undefined) return { done: 0, refused: [], counted, next: beyond };
  const acted = await act(context, operation, keys, turn);
  return { ...acted, next: acted.next ?? beyond };
}

function after(operation: Operation, step: Acted): Operation {
  const { maxRefusals } = WORK[operation.kind];
  const refusedCount = refusalsOf(operation) + step.refused.length;
  const refused = [...operation.refused, ...step.refused].slice(0, maxRefusals);
  const counted = operation.total + (step.counted ?? 0);
  const done = Math.max(operation.done, Math.min(operation.done + step.done, counted - refusedCount));
  // jobs may match a bulk operation after they were counted
  const total = Math.max(counted, done + refusedCount);
  const counts = { refused, ...(refusedCount > refused.length && { refusedCount }), total, done };
  const { counting: _, ...rest } = { ...operation, ...counts };
  if (step.stopped !== undefined) return { ...rest, status: 'stopped', reason: step.stopped };
  if (step.next !== undefined)
    return {
      ...rest,
      ...((isCounting(step.next) || operation.kind === 'erasure') && { counting: true as const }),
      next: step.next,
    };
  // after a crash the repeated step does not count what it finds done, so the total is used
  return { ...rest, done: total - refusedCount, status: 'done' };
}

const tooOld = (operation: Operation): Operation => ({
  ...operation,
  status: 'failed',
  reason: 'the operation did not finish within 24 hours; start another one for the rest',
});

/** Undefined if another process has written the operation since it was read. The stamp recognises a write whose response was lost. */
export async function replaceOperation(
  { store, clock, random }: Context,
  seen: Operation,
  change: Operation,
): Promise<Operation | undefined> {
  const written = { ...change, updatedAt: clock.now(), stamp: random.id(12) };
  const done = await confirmWrite(
    () => store.replaceOperation(seen, written),
    async () => (await store.readOperation(seen.id))?.stamp === written.stamp,
  );
  return done ? written : undefined;
}
