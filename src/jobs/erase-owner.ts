// Begins the erasure of everything of an owner.
import type { Principal } from '../domain/principal.ts';
import type { Context } from '../scheduling/context.ts';
import { requireOwner } from './access.ts';
import { beginOperation } from './operations/operation-requests.ts';

/** The operation is stored before the call returns. */
export async function eraseOwner(
  context: Context,
  who: Principal,
  given: string,
): Promise<{ operation: string }> {
  const owner = requireOwner(who, given);
  const { id } = await beginOperation(context, {
    ...{ kind: 'erasure', params: { owner }, userId: who.userId, total: 0 },
    counting: true,
  });
  return { operation: id };
}
