// The REST contract: every operation, what it takes and what it answers. By subject in the folder.

import type { Operation } from './endpoint.ts';
import { executions } from './executions.ts';
import { jobs } from './jobs.ts';
import { operations as background } from './operations.ts';
import { service } from './service.ts';

export const contract = { ...jobs, ...executions, ...background, ...service };

export const operations: readonly Operation[] = Object.values(contract);
