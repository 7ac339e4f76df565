// The settings of the API: authentication, throttling, CORS and domain.
import { z } from 'zod';
import { operatorsGroupName } from '../../src/api/config.ts';
import { arn, count, name } from './shapes.ts';

export const api = {
  issuer: z.url({ protocol: /^https$/ }).optional(),
  audience: z.array(name).min(1).optional(),
  operatorsGroup: operatorsGroupName,
  corsOrigins: z
    .array(
      z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, {
        error: 'must be * or an origin such as https://console.example.com, without a path',
      }),
    )
    .optional(),
  apiRequestsPerSecond: count(1, 100_000).default(1000),
  apiBurst: count(1, 100_000).default(2000),
  domainName: z.hostname().optional(),
  certificateArn: arn('acm').optional(),
  hostedZoneId: name.optional(),
  hostedZoneName: z.hostname().optional(),
};
