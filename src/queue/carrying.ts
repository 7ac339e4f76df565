// Values that messages carry. During a rollout the sender of a message and its reader are of different versions, so a message
// never has the strict schemas of the API (test/queue/frozen).
import { z } from 'zod';

/** The fields that every version of a reader needs. Other fields are handed on as they came. */
export const carrying = <T extends object>(needed: Partial<Record<keyof T, z.ZodType>>): z.ZodType<T> =>
  z.looseObject(needed as z.ZodRawShape) as unknown as z.ZodType<T>;
