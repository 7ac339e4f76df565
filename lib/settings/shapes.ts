// Schemas that several settings share.
import { z } from 'zod';

export const count = (min: number, max: number) => z.number().int().min(min).max(max);
export const name = z.string().min(1);
export const arn = (service: string) =>
  z.string().regex(new RegExp(`^arn:[\\w-]+:${service}:`), { error: `must be an ARN of ${service}` });
