// The settings of the workers' network.
import { z } from 'zod';
import { name } from './shapes.ts';

export const network = {
  /**
   * `public`: workers run in public subnets with a public address each ($3.65 per month) and accept no connections.
   * `endpoints`: workers run in isolated subnets with VPC endpoints, and can call AWS services only. An endpoint costs
   * about $15 per month in two zones. There are 4, and one more each with `tracing` and `scripts` (docs/capacity.md).
   * @default 'public'
   */
  network: z.literal(['public', 'endpoints']).default('public'),
  /**
   * An existing VPC. Requires `subnetIds` and `availabilityZones`.
   * @default - a new VPC with two zones
   */
  vpcId: z
    .string()
    .regex(/^vpc-[0-9a-f]+$/, { error: 'must be the id of a VPC, such as vpc-0a1b2c3d' })
    .optional(),
  /**
   * The subnets of the workers in the existing VPC. They must be public with `network: public`, else have their own route
   * to AWS services.
   * @default - the subnets of the new VPC
   */
  subnetIds: z
    .array(
      z
        .string()
        .regex(/^subnet-[0-9a-f]+$/, { error: 'must be the id of a subnet, such as subnet-0a1b2c3d' }),
    )
    .min(1)
    .optional(),
  /**
   * The availability zones of `subnetIds`, in the same order.
   * @default - the zones of the new VPC
   */
  availabilityZones: z.array(name).min(1).optional(),
};
