// Requests about background operations: begin, read and stop (docs/decisions/0031).
import { CONFLICT, REQUEST_RETRY, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { Conflict, NotFound } from '../../domain/errors.ts';
import {
  type BackfillOperation,
  type BulkOperation,
  type ErasureOperation,
  isOpen,
  type Operation,
  type OperationView,
  operationView,
} from '../../domain/jobs/background-operation.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context } from '../../scheduling/context.ts';
import { canAccess } from '../access.ts';
import { carryOut, isHeld, replaceOperation, timeSlice } from './carry-out.ts';

/** The request that begins an operation carries it out for this long. The watchers carry out the rest. */
const FIRST_SLICE_MS = 1_000;

type Given = 'kind' | 'params' | 'userId' | 'total' | 'next' | 'counting';
export type NewOperation =
  | Pick<BackfillOperation, Given>
  | Pick<BulkOperation, Given>
  | Pick<ErasureOperation, Given>;

/** Stores an operation and begins to carry it out. */
export async function beginOperation(context: Context, given: NewOperation): Promise<Operation> {
  const { store, clock, random, log } = context;
  const now = clock.now();
  const operation: Operation = {
    ...given,
    id: `op_${random.id(20)}`,
    status: given.total === 0 && !given.counting ? 'done' : 'pending',
    done: 0,
    refused: [],
    createdAt: now,
    updatedAt: now,
    stamp: random.id(12),
    leaseUntil: 0,
  };
  await store.putOperation(operation);
  if (!isOpen(operation)) return operation;
  try {
    await carryOut(
      context,
      operation,
      timeSlice(context, FIRST_SLICE_MS, () => true),
    );
  } catch (error) {
    log.warn('request failed to begin its operation; a watcher will carry it out', {
      operation: operation.id,
      error: String(error),
    });
  }
  return operation;
}

async function requireOperation({ store }: Context, who: Principal, id: string): Promise<Operation> {
  const operation = await store.readOperation(id);
  if (!operation || !canAccess(who, operation)) throw new NotFound('operation', id);
  return operation;
}

export async function getOperation(context: Context, who: Principal, id: string): Promise<OperationView> {
  return operationView(await requireOperation(context, who, id));
}

/**
 * Stops an operation. Finished work stays. The call returns when no process can add to it: the holder has released it, or the
 * holder's lease is over.
 */
export async function stopOperation(context: Context, who: Principal, id: string): Promise<void> {
  const ended = await endOperation(context, who, id);
  await context.store.delistOperation(ended);
  await letHolderFinish(context, ended);
}

async function endOperation(context: Context, who: Principal, id: string): Promise<Operation> {
  const result = await retryConflicts(context, REQUEST_RETRY, async () => {
    const seen = await requireOperation(context, who, id);
    if (!isOpen(seen)) return seen;
    const reason = `by request of ${who.userId}`;
    // the lease stays, because it shows whether a process may still be in a step
    const ended = await replaceOperation(context, seen, { ...seen, status: 'stopped', reason });
    return ended ?? CONFLICT;
  });
  if (result === CONFLICT)
    throw new Conflict(`operation ${id} is being changed by other requests; try again`);
  return result;
}

const FIRST_CHECK_MS = 20;
const MAX_CHECK_INTERVAL_MS = 1_000;

async function letHolderFinish(context: Context, ended: Operation): Promise<void> {
  const { store, clock } = context;
  let seen: Operation | undefined = ended;
  for (let pause = FIRST_CHECK_MS; seen && isHeld(context, seen); pause *= 1.5) {
    await clock.sleep(Math.min(pause, MAX_CHECK_INTERVAL_MS));
    seen = await store.readOperation(ended.id);
  }
}
