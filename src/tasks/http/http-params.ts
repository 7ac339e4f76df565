// The params of the task `http`, and the statuses that count as success.
import { z } from 'zod';
import { boundedRecord } from '../../domain/validation/bounded-record.ts';
import { formatValue, OF_PRESENCE } from '../../domain/validation/validation.ts';

/** An error with the allowed and the given value. A missing value gets the default error. */
const must = (words: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? undefined : `must ${words}, got ${formatValue(input)}`,
});

/** Headers of HTTP framing. The HTTP client sets them and refuses them from callers. */
const FRAMING_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers that identify the execution for the receiver. A job must not set them. */
export const SCHEDULER_HEADERS = [
  'idempotency-key',
  'punctual-execution',
  'punctual-attempt',
  'punctual-due',
  'punctual-fence',
  'punctual-signature',
];
const RESERVED_HEADERS = new Set([...FRAMING_HEADERS, ...SCHEDULER_HEADERS]);

const MAX_HEADERS = 100;

const headersSchema = boundedRecord(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, must('have only letters, digits and dashes')),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be Latin-1 characters without line breaks'),
  MAX_HEADERS,
  'headers',
).refine((headers) => !Object.keys(headers).some((name) => RESERVED_HEADERS.has(name.toLowerCase())), {
  error: ({ input }) =>
    `must not contain ${Object.keys(Object(input))
      .filter((name) => RESERVED_HEADERS.has(name.toLowerCase()))
      .join(', ')}: the scheduler sets it`,
});

const STATUS_CLASS = /^([1-5])xx$/;
const STATUS_RANGE = /^([1-5]\d\d)-([1-5]\d\d)$/;

const expectedSchema = z.union([
  z.int().min(100).max(599),
  z
    .string()
    .regex(
      /^(?:[1-5]xx|[1-5]\d\d-[1-5]\d\d)$/,
      must('be a status such as 204, a class such as "2xx" or a range such as "200-299"'),
    )
    .refine((text) => !(rangeOf(text)[0] > rangeOf(text)[1]), must('not end before it begins')),
]);

export const httpParams = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/, ...must('be a URL that begins with http:// or https://') })
      .max(4096)
      .refine(hasNoCredentials, 'must not contain a user name or password; use the header Authorization')
      .describe('http or https URL to call'),
    method: z
      .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      .optional()
      .describe('default: POST with a body, else GET'),
    headers: headersSchema
      .optional()
      .describe(`request headers, at most ${MAX_HEADERS}; not sent after a redirect to another origin`),
    body: z
      .unknown()
      .optional()
      .describe('a string is sent as it is, any other JSON value as application/json'),
    expectedStatuses: z
      .array(expectedSchema)
      .min(1)
      .max(20)
      .optional()
      .describe(
        'statuses that count as success: numbers, classes ("2xx") or ranges ("200-299"); default 2xx',
      ),
    timeoutSeconds: z
      .number()
      .positive()
      .max(300) // the HTTP client's own timeout for response headers
      .optional()
      .describe('timeout of the request; default: the timeout of the attempt'),
  })
  .refine((p) => p.body === undefined || (p.method !== 'GET' && p.method !== 'HEAD'), {
    path: ['body'],
    params: OF_PRESENCE,
    error: 'must be absent when the method is GET or HEAD',
  })
  .meta({
    examples: [{ url: 'https://example.com/hook', body: { day: 1 } }],
  });

export type HttpParams = z.infer<typeof httpParams>;

export const isExpected = (status: number, { expectedStatuses = ['2xx'] }: HttpParams): boolean =>
  expectedStatuses.some((expected) => {
    const [from, to] = rangeOf(expected);
    return from <= status && status <= to;
  });

function rangeOf(expected: number | string): [from: number, to: number] {
  if (typeof expected === 'number') return [expected, expected];
  const inClass = STATUS_CLASS.exec(expected)?.[1];
  if (inClass !== undefined) return [Number(inClass) * 100, Number(inClass) * 100 + 99];
  const [, from, to] = STATUS_RANGE.exec(expected) ?? [];
  return [Number(from), Number(to)];
}

export function hasNoCredentials(url: string): boolean {
  if (!URL.canParse(url)) return true; // The check of the URL reports it.
  const { username, password } = new URL(url);
  return username === '' && password === '';
}
