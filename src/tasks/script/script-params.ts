// The params of the task `script`.
import { z } from 'zod';
import { boundedRecord } from '../../domain/validation/bounded-record.ts';
import { OF_PRESENCE } from '../../domain/validation/validation.ts';

export const MAX_SOURCE_BYTES = 10_240;
const MAX_ENVIRONMENT_CHARS = 4096;

const MAX_VARIABLES = 100;

export const environmentSchema = boundedRecord(
  z
    .string()
    .regex(
      /^(?!PUNCTUAL_|AWS_|ECS_|LD_)[A-Za-z_][A-Za-z0-9_]{0,127}$/,
      'must be letters, digits and "_", and not begin with a digit, "PUNCTUAL_", "AWS_", "ECS_" or "LD_"',
    ),
  z.string().regex(/^[^\0]*$/, 'must not contain NUL'),
  MAX_VARIABLES,
  'variables',
).refine((variables) => JSON.stringify(variables).length <= MAX_ENVIRONMENT_CHARS, {
  error: `must have at most ${MAX_ENVIRONMENT_CHARS} characters of JSON`,
});

export const LANGUAGES = ['python', 'node', 'shell'] as const;
export type Language = (typeof LANGUAGES)[number];

export const scriptParams = z
  .strictObject({
    language: z.enum(LANGUAGES).describe('python (Python 3), node (JavaScript) or shell (POSIX sh)'),
    source: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= MAX_SOURCE_BYTES, {
        error: ({ input }) =>
          `must have at most ${MAX_SOURCE_BYTES} bytes, got ${Buffer.byteLength(String(input))}; use \`s3\` for a longer script`,
      })
      .optional()
      .describe('source of the script, up to 10 KB; required without `s3`'),
    s3: z
      .strictObject({
        bucket: z
          .string()
          .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of an S3 bucket')
          .describe('bucket of the object'),
        key: z.string().min(1).max(1024).describe('key of the object'),
        version: z
          .string()
          .min(1)
          .max(1024)
          .optional()
          .describe('version of the object; default: the latest'),
      })
      .optional()
      .describe('S3 object with the source, up to 256 KB; required without `source`'),
    args: z
      .array(z.string().regex(/^[^\0]{0,1024}$/, 'must have at most 1024 characters and not contain NUL'))
      .max(64)
      .optional()
      .describe('command-line arguments of the script'),
    environment: environmentSchema
      .optional()
      .describe(`environment variables of the script, at most ${MAX_VARIABLES}; it gets none of the worker`),
  })
  .refine(({ source, s3 }) => (source === undefined) !== (s3 === undefined), {
    path: ['source'],
    params: OF_PRESENCE,
    error: 'must be present if `s3` is absent, and absent if `s3` is present',
  })
  .meta({
    examples: [{ language: 'python', source: "import sys\nprint('hello', sys.argv[1])", args: ['world'] }],
  });

export type ScriptParams = z.infer<typeof scriptParams>;
