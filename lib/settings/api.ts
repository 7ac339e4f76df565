// The settings of the API: authentication, throttling, CORS and domain.
import { z } from 'zod';
import { authorizationKind } from '../../src/api/authorization.ts';
import { operatorsGroupName } from '../../src/api/config.ts';
import { roleArn } from '../../src/api/http/iam.ts';
import { arn, count, name } from './shapes.ts';

/** The audiences that API Gateway accepts for one authorizer. The quota cannot be raised. */
const MAX_AUDIENCES = 50;
/** The clients of the user pool that are no service: for people, the console and the canary. */
const OTHER_CLIENTS = 3;

export const api = {
  authorization: authorizationKind,
  issuer: z.url({ protocol: /^https$/ }).optional(),
  audience: z.array(name).min(1).max(MAX_AUDIENCES).optional(),
  operatorsGroup: operatorsGroupName,
  // They are in the environment of the functions, which has 4 KB.
  operatorRoles: z.array(roleArn).min(1).max(10).optional(),
  serviceClients: z
    .array(
      z.string().regex(/^[a-z][a-z0-9-]{0,29}$/, {
        error: 'must be 1 to 30 lower-case letters, digits and "-", and start with a letter',
      }),
    )
    .min(1)
    .max(MAX_AUDIENCES - OTHER_CLIENTS)
    .refine((names) => new Set(names).size === names.length, { error: 'must not name a service twice' })
    .optional(),
  console: z.boolean().optional(),
  consoleClientId: name.optional(),
  docs: z.boolean().default(true),
  corsOrigins: z
    .array(
      z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, {
        error: 'must be * or an origin such as https://console.example.com, without a path',
      }),
    )
    .optional(),
  apiRequestsPerSecond: count(1, 100_000).default(1000),
  apiBurst: count(1, 100_000).default(2000),
  apiReservedConcurrency: count(0, 10_000).default(300),
  domainName: z.hostname().optional(),
  certificateArn: arn('acm').optional(),
  hostedZoneId: name.optional(),
  hostedZoneName: z.hostname().optional(),
};
