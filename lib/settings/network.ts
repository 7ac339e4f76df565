// The settings that say where workers run.
import { z } from 'zod';
import { name } from './shapes.ts';

export const network = {
  /**
   * `public`: workers in public subnets with an address each and no way in; $3.65 a month and worker. `endpoints`:
   * isolated subnets and VPC endpoints; about $15 a month and endpoint in two zones (there are 4, with `tracing` and with
   * `scripts` one more), and nothing outside of AWS can be called. docs/capacity.md has the figures.
   * @default 'public'
   */
  network: z.literal(['public', 'endpoints']).default('public'),
  /**
   * An existing VPC instead of a new one; with `subnetIds` and `availabilityZones`.
   * @default - a new VPC with two zones
   */
  vpcId: z
    .string()
    .regex(/^vpc-[0-9a-f]+$/, { error: 'must be the id of a VPC, such as vpc-0a1b2c3d' })
    .optional(),
  /**
   * Of the existing VPC, where workers run: public ones with `network: public`, else with a way to AWS of their own.
   * @default - those of the new VPC
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
   * Of the existing VPC's subnets, in their order.
   * @default - those of the new VPC
   */
  availabilityZones: z.array(name).min(1).optional(),
};
