// The operation of the API that erases an owner.
import { z } from 'zod';
import { operation } from './endpoint.ts';
import { pathText } from './request-schemas.ts';

export const owners = {
  eraseOwner: operation({
    id: 'eraseOwner',
    service: 'scheduler',
    method: 'DELETE',
    path: '/owners/{owner}',
    summary: 'Erase everything of an owner, for ever',
    description:
      'A background operation cancels all jobs of the owner, waits until what runs has stopped, and removes executions with their log lines and results, jobs with all versions of their params and the records of their changes, names and counters. Limits that operators have set are removed only if an operator asks. `GET /operations/{id}` shows its progress, and `DELETE /operations/{id}` stops it. A job that is created before the operation has ended is erased, too. The operation itself names the owner, and is kept for 7 days. Operators can erase every owner, users only themselves. While an erasure of the owner is open that the caller may rely on, the response has its id: for operators one that an operator has begun, for users their own. An owner without any data is no error.',
    auth: true,
    params: z.strictObject({ owner: pathText(256).describe('user id of the owner') }),
    success: {
      status: 202,
      description: 'The operation is accepted.',
      body: z.strictObject({ operation: z.string().describe('id of the background operation') }),
      headers: { location: 'The path of the operation.' },
    },
    errors: [403],
  }),
};
