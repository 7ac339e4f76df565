// Sets the limits of one owner, by operators. The values replace those that were set before.
import {
  type LimitsView,
  limitsView,
  type OwnerLimits,
  type OwnLimitsInput,
} from '../../domain/jobs/owner-limits.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context } from '../../scheduling/context.ts';
import { requireOperator } from '../access.ts';
import type { LimitValues } from './limit-values.ts';

/** A limit that is null or absent has the default of the deployment. This process applies the values at once. */
export async function setLimits(
  { store, clock }: Context,
  values: LimitValues,
  who: Principal,
  owner: string,
  given: OwnLimitsInput,
): Promise<LimitsView> {
  requireOperator(who, 'PUT /limits');
  const set = Object.entries(given).filter(([, value]) => value !== null);
  const limits: Partial<OwnerLimits> = Object.fromEntries(set);
  const own = { limits, updatedAt: clock.now(), updatedBy: who.userId };
  await store.putLimits(owner, own);
  values.learn(owner, own);
  return limitsView(owner, values.defaults, own);
}
