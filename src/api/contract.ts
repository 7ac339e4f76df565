// The REST contract: every operation, what it takes and what it answers. By subject in the folder.
import { executions } from './contract/executions.ts';
import { jobs } from './contract/jobs.ts';
import { operations as background } from './contract/operations.ts';
import { service } from './contract/service.ts';
import type { Operation } from './operation.ts';

export const contract = { ...jobs, ...executions, ...background, ...service };

export const operations: readonly Operation[] = Object.values(contract);
