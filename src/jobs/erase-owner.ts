// Begins the erasure of everything of an owner.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { type ErasureOperation, isOpen } from '../domain/jobs/background-operation.ts';
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../scheduling/context.ts';
import { requireOwner } from './access.ts';
import { findsAllJobs } from './operations/erase-steps.ts';
import { beginOperation } from './operations/operation-requests.ts';

const MAX_LISTED = 1_000;
const READS_AT_ONCE = 10;

/** The operation is stored before the call returns. An open erasure of the owner is returned if the caller may rely on it. */
export async function eraseOwner(
  context: Context,
  who: Principal,
  given: string,
): Promise<{ operation: string }> {
  const owner = requireOwner(who, given);
  const open = await findOpenErasure(context, who, owner);
  if (open) return { operation: open.id };
  const params = { owner, ...(who.operator && { byOperator: true as const }) };
  const { id } = await beginOperation(context, {
    ...{ kind: 'erasure', params, userId: who.userId, total: 0 },
    counting: true,
  });
  return { operation: id };
}

/**
 * Operators rely on erasures of operators only: the owner may stop his own, and it keeps the limits. Users rely on those that they
 * have begun, because they cannot read others. The list may lag, and two erasures of one owner do no harm.
 */
async function findOpenErasure(
  { store }: Context,
  who: Principal,
  owner: string,
): Promise<ErasureOperation | undefined> {
  const listed = await store.listOpenOperations(MAX_LISTED);
  const candidates = who.operator ? listed : listed.filter(({ userId }) => userId === who.userId);
  let found: ErasureOperation | undefined;
  await forEachLimit(candidates, READS_AT_ONCE, async ({ id }) => {
    if (found) return;
    const one = await store.readOperation(id);
    if (one?.kind !== 'erasure' || !isOpen(one) || one.params.owner !== owner) return;
    if ((one.params.byOperator || !who.operator) && findsAllJobs(one)) found ??= one;
  });
  return found;
}
