// The settings of the workers' network.
import { z } from 'zod';
import { name } from './shapes.ts';

export const network = {
  network: z.literal(['public', 'endpoints']).default('public'),
  vpcId: z
    .string()
    .regex(/^vpc-[0-9a-f]+$/, { error: 'must be the id of a VPC, such as vpc-0a1b2c3d' })
    .optional(),
  subnetIds: z
    .array(
      z
        .string()
        .regex(/^subnet-[0-9a-f]+$/, { error: 'must be the id of a subnet, such as subnet-0a1b2c3d' }),
    )
    .min(1)
    .optional(),
  availabilityZones: z.array(name).min(1).optional(),
};
