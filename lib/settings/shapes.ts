// Shapes that several settings have.
import { z } from 'zod';

export const count = (least: number, most: number) => z.number().int().min(least).max(most);
export const name = z.string().min(1);
export const arn = (service: string) =>
  z.string().regex(new RegExp(`^arn:[\\w-]+:${service}:`), { error: `must be an ARN of ${service}` });
