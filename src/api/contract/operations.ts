// Routes of background operations.
import { operationShape } from '../../domain/jobs/background-operation.ts';
import { operation } from './endpoint.ts';
import { operationPath } from './request-schemas.ts';

export const operations = {
  getOperation: operation({
    id: 'getOperation',
    service: 'query',
    method: 'GET',
    path: '/operations/{id}',
    summary: 'Get a background operation: its status, its progress, and the items it refused',
    description: 'Visible to the user who created it and to operators. It is kept for 7 days after its end.',
    auth: true,
    params: operationPath,
    success: { status: 200, description: 'The operation', body: operationShape },
    errors: [],
  }),
  stopOperation: operation({
    id: 'stopOperation',
    service: 'scheduler',
    method: 'DELETE',
    path: '/operations/{id}',
    summary: 'Stop a background operation',
    description:
      'After the answer the operation adds nothing more. Executions that it has added stay, and run. The call waits for the step that is under way: usually some milliseconds, and up to 22 s if the process in that step has died. An operation that has ended is not changed.',
    auth: true,
    params: operationPath,
    success: { status: 204, description: 'The operation is stopped, or had ended before' },
    errors: [],
  }),
};
