// The contract of the REST API: every operation with its request and its responses.
import { backgroundOperations } from './background-operations.ts';
import { bulkChanges } from './bulk-changes.ts';
import type { Operation } from './endpoint.ts';
import { executions } from './executions.ts';
import { jobs } from './jobs.ts';
import { limits } from './limits.ts';
import { namedJobs } from './named-jobs.ts';
import { operators } from './operators.ts';
import { owners } from './owners.ts';
import { service } from './service.ts';
import { statistics } from './statistics.ts';

export const contract = {
  ...jobs,
  ...namedJobs,
  ...bulkChanges,
  ...executions,
  ...backgroundOperations,
  ...limits,
  ...owners,
  ...operators,
  ...statistics,
  ...service,
};

export const operations: readonly Operation[] = Object.values(contract);
