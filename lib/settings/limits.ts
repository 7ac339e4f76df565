// The limits per owner (docs/fairness.md#limits-per-owner). Operators can set others for single owners. 0 means no limit.
import { DEPLOYED_LIMITS, limitValue } from '../../src/domain/jobs/owner-limits.ts';

export const limits = {
  quotaRunningExecutions: limitValue('runningExecutions').default(DEPLOYED_LIMITS.runningExecutions),
  quotaStartsPerMinute: limitValue('startsPerMinute').default(DEPLOYED_LIMITS.startsPerMinute),
  quotaCreatesPerMinute: limitValue('createsPerMinute').default(DEPLOYED_LIMITS.createsPerMinute),
  quotaActiveJobs: limitValue('activeJobs').default(DEPLOYED_LIMITS.activeJobs),
  quotaStoredBytes: limitValue('storedBytes').default(DEPLOYED_LIMITS.storedBytes),
  quotaShortestIntervalSeconds: limitValue('shortestIntervalSeconds').default(
    DEPLOYED_LIMITS.shortestIntervalSeconds,
  ),
  quotaLongestTimeoutSeconds: limitValue('longestTimeoutSeconds').default(
    DEPLOYED_LIMITS.longestTimeoutSeconds,
  ),
  quotaRequestsPerSecond: limitValue('requestsPerSecond').default(DEPLOYED_LIMITS.requestsPerSecond),
};
