// The operations of the API on background operations, such as backfills and bulk changes.
import { operationShape } from '../../domain/jobs/background-operation.ts';
import { operation } from './endpoint.ts';
import { operationPath } from './request-schemas.ts';

export const backgroundOperations = {
  getOperation: operation({
    id: 'getOperation',
    service: 'query',
    method: 'GET',
    path: '/operations/{id}',
    summary: 'Get a background operation with its status, progress and refused items',
    description:
      'The user who created an operation and operators can get it. It is kept for 7 days after its end.',
    auth: true,
    params: operationPath,
    success: { status: 200, description: 'The operation.', body: operationShape },
    errors: [],
  }),
  stopOperation: operation({
    id: 'stopOperation',
    service: 'scheduler',
    method: 'DELETE',
    path: '/operations/{id}',
    summary: 'Stop a background operation',
    description:
      'After the response, the operation adds no more executions and changes no more jobs. Executions that it has added still run, and changed jobs stay changed. The call waits for the current step, usually for some milliseconds. If the process in that step has died, the call takes up to 22 s. An operation that has ended does not change.',
    auth: true,
    params: operationPath,
    success: { status: 204, description: 'The operation has stopped or ended.' },
    errors: [],
  }),
};
