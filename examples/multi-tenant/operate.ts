// What a platform team does for its tenants: limits, a look at one tenant, and a pause of all jobs of a noisy one.
// Each tenant is a user (the claim `sub` of its token). The team has the token of an operator.
import type { PunctualClient } from 'punctual';

export interface Plan {
  readonly activeJobs: number;
  readonly startsPerMinute: number;
  readonly runningExecutions: number;
}

/** The limits of each plan. Values that are not given have the default of the deployment. */
export const PLANS: Readonly<Record<'free' | 'paid', Plan>> = {
  free: { activeJobs: 3, startsPerMinute: 60, runningExecutions: 2 },
  paid: { activeJobs: 1_000, startsPerMinute: 6_000, runningExecutions: 50 },
};

/** Sets the limits of a tenant. They apply everywhere within a minute. */
export async function setPlan(
  operator: PunctualClient,
  tenant: string,
  plan: keyof typeof PLANS,
): Promise<void> {
  await operator.limits.set(tenant, PLANS[plan]);
}

export interface Usage {
  readonly tenant: string;
  readonly jobs: number;
  readonly failed: number;
}

/** The jobs and failed executions of a tenant. */
export async function usageOf(operator: PunctualClient, tenant: string): Promise<Usage> {
  const count = async (items: AsyncIterable<unknown>) => {
    let found = 0;
    for await (const _ of items) found++;
    return found;
  };
  return {
    tenant,
    jobs: await count(operator.jobs.list({ owner: tenant, status: 'active', limit: 100 })),
    failed: await count(operator.deadLetters.list({ owner: tenant, limit: 100 })),
  };
}

/** Pauses all jobs of a tenant, and returns how many. The tenant reads the reason in the changes of each job. */
export async function pauseTenant(operator: PunctualClient, tenant: string, note: string): Promise<number> {
  const { operation } = await operator.jobs.bulk({ action: 'pause', filter: { owner: tenant }, note });
  const { done, refused } = await operator.operations.waitFor(operation, { timeoutMs: 60_000 });
  for (const { id, reason } of refused) console.warn(`${id} was not paused: ${reason}`);
  return done;
}
