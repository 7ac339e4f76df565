// The operations of the API on the limits of owners.
import { z } from 'zod';
import { limitsShape, ownLimitsSchema } from '../../domain/jobs/owner-limits.ts';
import { operation } from './endpoint.ts';
import { pathText } from './request-schemas.ts';

const ownerPath = z.strictObject({ owner: pathText(256).describe('user id of the owner') });

export const limits = {
  getLimits: operation({
    id: 'getLimits',
    service: 'query',
    method: 'GET',
    path: '/limits/{owner}',
    summary: 'Get the limits of an owner, with what is used of them',
    description:
      'Operators can get the limits of every owner, users only their own. `used` may be above the actual use, because a process reserves several uses at a time.',
    auth: true,
    params: ownerPath,
    success: { status: 200, description: 'The limits.', body: limitsShape },
    errors: [403],
  }),
  setLimits: operation({
    id: 'setLimits',
    service: 'scheduler',
    method: 'PUT',
    path: '/limits/{owner}',
    summary: 'Set the limits of an owner (operators only)',
    description:
      'The body replaces all values that were set before. A limit that is null or absent has the default of the deployment. A change applies everywhere within a minute.',
    auth: true,
    params: ownerPath,
    body: ownLimitsSchema,
    success: { status: 200, description: 'The limits.', body: limitsShape },
    errors: [403],
  }),
};
