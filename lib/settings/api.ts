// The settings of the API: who may call it, how often, and under which name.
import { z } from 'zod';
import { operatorsGroupName } from '../../src/api/config.ts';
import { arn, count, name } from './shapes.ts';

export const api = {
  /**
   * Whose tokens count: an OIDC issuer; with `audience`.
   * @default - a Cognito user pool that the stack makes
   */
  issuer: z.url({ protocol: /^https$/ }).optional(),
  /**
   * What tokens must be meant for, with `issuer`.
   * @default - the client of the stack's user pool
   */
  audience: z.array(name).min(1).optional(),
  /**
   * The group of the identity provider whose members are operators, by the token's claim `groups` or `cognito:groups`.
   * @default 'punctual-operators'
   */
  operatorsGroup: operatorsGroupName,
  /**
   * From where browsers may call.
   * @default - from nowhere
   */
  corsOrigins: z
    .array(
      z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, {
        error: 'must be * or an origin such as https://console.example.com, without a path',
      }),
    )
    .optional(),
  /**
   * Requests a second that the API takes before it answers 429.
   * @default 1000
   */
  apiRequestsPerSecond: count(1, 100_000).default(1000),
  /**
   * Requests that it takes at once.
   * @default 2000
   */
  apiBurst: count(1, 100_000).default(2000),
  /**
   * The API's own name; with `certificateArn`.
   * @default - the name that API Gateway gives
   */
  domainName: z.hostname().optional(),
  /**
   * Of the domain, in the region of the stack.
   * @default - none
   */
  certificateArn: arn('acm').optional(),
  /**
   * The hosted zone that gets the domain's record; with `hostedZoneName`.
   * @default - no record: point the domain at the output `DomainTarget` yourself
   */
  hostedZoneId: name.optional(),
  /**
   * @default - none
   */
  hostedZoneName: z.hostname().optional(),
};
