// What the task `script` can be told.
import { z } from 'zod';

export const MAX_SOURCE_BYTES = 10_240;
const MAX_ENVIRONMENT = 4096;

export const environmentSchema = z
  .record(
    z
      .string()
      .regex(
        /^(?!PUNCTUAL_|AWS_|ECS_|LD_)[A-Za-z_][A-Za-z0-9_]{0,127}$/,
        'must be letters, digits and "_" and not begin with "PUNCTUAL_", "AWS_", "ECS_" or "LD_"',
      ),
    z.string().regex(/^[^\0]*$/, 'must have no NUL'),
  )
  .refine((variables) => JSON.stringify(variables).length <= MAX_ENVIRONMENT, {
    error: `must have at most ${MAX_ENVIRONMENT} characters in all`,
  });

export const LANGUAGES = ['python', 'node', 'shell'] as const;
export type Language = (typeof LANGUAGES)[number];

export const scriptParams = z
  .strictObject({
    language: z.enum(LANGUAGES).describe('python 3, node (JavaScript) or shell (POSIX sh)'),
    source: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= MAX_SOURCE_BYTES, {
        error: ({ input }) =>
          `must have at most ${MAX_SOURCE_BYTES} bytes, got ${Buffer.byteLength(String(input))}; a longer one can be in S3`,
      })
      .optional()
      .describe('the program, up to 10 KB; this or `s3`'),
    s3: z
      .strictObject({
        bucket: z
          .string()
          .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
          .describe('its bucket'),
        key: z.string().min(1).max(1024).describe('its key'),
        version: z.string().min(1).max(1024).optional().describe('its version; default: the latest'),
      })
      .optional()
      .describe('where the program is, up to 256 KB; this or `source`'),
    args: z
      .array(z.string().regex(/^[^\0]{0,1024}$/, 'must have at most 1024 characters and no NUL'))
      .max(64)
      .optional()
      .describe('what the program is started with'),
    environment: environmentSchema
      .optional()
      .describe('the program’s variables; it has no others than a few of its own'),
  })
  .refine(({ source, s3 }) => (source === undefined) !== (s3 === undefined), {
    path: ['source'],
    error: 'must be there, or else `s3`, and not both',
  });

export type ScriptParams = z.infer<typeof scriptParams>;
