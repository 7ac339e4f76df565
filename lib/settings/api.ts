// The settings of the API: authentication, throttling, CORS and domain.
import { z } from 'zod';
import { operatorsGroupName } from '../../src/api/config.ts';
import { arn, count, name } from './shapes.ts';

export const api = {
  /**
   * The OIDC issuer of accepted tokens. Requires `audience`.
   * @default - a Cognito user pool that the stack creates
   */
  issuer: z.url({ protocol: /^https$/ }).optional(),
  /**
   * The accepted audiences of tokens. Requires `issuer`.
   * @default - the client of the stack's user pool
   */
  audience: z.array(name).min(1).optional(),
  /**
   * The group whose members are operators. It is read from the token's claim `groups` or `cognito:groups`.
   * @default 'punctual-operators'
   */
  operatorsGroup: operatorsGroupName,
  /**
   * The allowed CORS origins.
   * @default - none: CORS is off
   */
  corsOrigins: z
    .array(
      z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, {
        error: 'must be * or an origin such as https://console.example.com, without a path',
      }),
    )
    .optional(),
  /**
   * The maximum number of requests per second. Requests above it get the status 429.
   * @default 1000
   */
  apiRequestsPerSecond: count(1, 100_000).default(1000),
  /**
   * The maximum burst of requests.
   * @default 2000
   */
  apiBurst: count(1, 100_000).default(2000),
  /**
   * The custom domain of the API. Requires `certificateArn`.
   * @default - the domain that API Gateway generates
   */
  domainName: z.hostname().optional(),
  /**
   * The ACM certificate of the domain, in the region of the stack.
   * @default - none
   */
  certificateArn: arn('acm').optional(),
  /**
   * The Route 53 hosted zone that gets the domain's DNS record. Requires `hostedZoneName`.
   * @default - no record is created; point the domain at the output `DomainTarget`
   */
  hostedZoneId: name.optional(),
  /**
   * The name of the hosted zone.
   * @default - none
   */
  hostedZoneName: z.hostname().optional(),
};
