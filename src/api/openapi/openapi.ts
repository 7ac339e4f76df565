// The contract as an OpenAPI 3.1 document.
import { z } from 'zod';
import {
  scheduleSchema,
  scheduleVariants,
  storedScheduleSchema,
  storedScheduleVariants,
} from '../../domain/schedule/schedule-schema.ts';
import { VERSION } from '../../runtime/version.ts';
import { operations } from '../contract/contract.ts';
import { isBodyOptional, type Operation, type Success, statusesOf } from '../contract/endpoint.ts';
import { problemShape } from '../contract/response-schemas.ts';

type Json = Record<string, unknown>;

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad input: `errors` says what was given where, and what is allowed',
  401: 'No token, or one that is not good',
  403: "For operators only, or for the job's owner only",
  404: 'Not there, or not yours',
  409: 'It cannot be done in the state that things are in',
  412: 'Changed since you read it: the ETag is not the one that If-Match names',
  413: 'Over 256 KiB',
  415: 'Not JSON',
  422: 'The schedule is well formed and can never fire',
  429: 'Over the quota',
  500: 'Something went wrong here; the log has the reason under the request id',
  503: 'A service behind this one does not answer; try again shortly',
};

const REQUEST_ID = {
  description: 'Of the request: the one that was sent, or a new one. The log has it too',
  schema: { type: 'string' },
};

let made: Json | undefined;

export function openApiDocument(): Json {
  made ??= create();
  return made;
}

function create(): Json {
  const schemas: Json = {};
  const toSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = withoutLocalRefs(z.toJSONSchema(schema, { io, unrepresentable: 'any', override: scheduleByName }));
    for (const [name, { id: _id, ...named }] of Object.entries($defs)) schemas[name] = named;
    return rest;
  };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation, toSchema),
    };
  }
  const oneOf = (forms: readonly z.ZodType[], description: string): Json => ({
    description,
    oneOf: forms.map((form) => toSchema(form, 'input')),
  });
  schemas.Schedule = oneOf(scheduleVariants, 'Exactly one kind');
  schemas.ShownSchedule = oneOf(
    storedScheduleVariants,
    'As given, with what depends on the time of creation resolved',
  );
  const problem = toSchema(problemShape, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Punctual',
      version: VERSION,
      description:
        'A job scheduler that fires on the dot: at least once, never twice at the same time, with a record of every firing. JSON in and out; times are ISO 8601 with an offset; errors are RFC 9457 problems; unknown fields are refused.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The user is the claim `sub`. Operators are members of one group, by default `punctual-operators`, in the claim `groups` or `cognito:groups`',
        },
      },
      responses: Object.fromEntries(
        Object.entries(TITLES).map(([status, description]) => [
          `Problem${status}`,
          {
            description,
            headers: headersOf(Number(status)),
            content: { 'application/problem+json': { schema: problem } },
          },
        ]),
      ),
    },
  };
}

/** Schedules are those of `components`: each a `oneOf` of its kinds. */
function scheduleByName({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Json }): void {
  const name =
    zodSchema === scheduleSchema
      ? 'Schedule'
      : zodSchema === storedScheduleSchema
        ? 'ShownSchedule'
        : undefined;
  if (name === undefined) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  jsonSchema.$ref = `#/components/schemas/${name}`;
}

type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => Json;

function describe(operation: Operation, toSchema: ToSchema): Json {
  const { params, query, headers, body, success, alternative } = operation;
  const parameters = [
    ...parametersOf('path', params, toSchema),
    ...parametersOf('query', query, toSchema),
    ...parametersOf('header', headers, toSchema),
  ];
  const successes = alternative ? [success, alternative] : [success];
  const problems = statusesOf(operation).filter((status) => status >= 400);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [tagOf(operation)],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !isBodyOptional(operation),
        content: { 'application/json': { schema: toSchema(body, 'input') } },
      },
    }),
    responses: {
      ...Object.fromEntries(successes.map((one) => [one.status, responseOf(one, toSchema)])),
      ...Object.fromEntries(
        problems.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
      ),
    },
    security: operation.auth ? [{ token: [] }] : [],
  };
}

const tagOf = ({ path }: Operation): string => {
  const room = path.split('/')[1] ?? '';
  return ['jobs', 'executions', 'operations', 'schedules', 'dead-letters'].includes(room) ? room : 'service';
};

function responseOf({ description, body, contentType, headers = {} }: Success, toSchema: ToSchema): Json {
  const named = Object.entries(headers).map(([name, says]) => [
    name,
    { description: says, schema: { type: 'string' } },
  ]);
  const content = body
    ? { 'application/json': { schema: toSchema(body, 'output') } }
    : contentType && { [contentType.split(';')[0] ?? '']: { schema: { type: 'string' } } };
  return {
    description,
    headers: { ...Object.fromEntries(named), 'x-request-id': REQUEST_ID },
    ...(content && { content }),
  };
}

function headersOf(status: number): Json {
  const retryAfter = { description: 'Seconds to wait, where waiting helps', schema: { type: 'integer' } };
  return {
    'x-request-id': REQUEST_ID,
    ...([429, 503].includes(status) && { 'retry-after': retryAfter }),
    ...(status === 401 && {
      'www-authenticate': { description: '`Bearer`, and what is wrong with it', schema: { type: 'string' } },
    }),
  };
}

function parametersOf(where: string, schema: z.ZodObject | undefined, toSchema: ToSchema): Json[] {
  if (!schema) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest } = toSchema(field as z.ZodType, 'input');
    const optional = where !== 'path' && (field as z.ZodType).safeParse(undefined).success;
    return { name, in: where, required: !optional, ...(description ? { description } : {}), schema: rest };
  });
}

/** zod puts what is named into `$defs` of each schema; here all share one place. */
function withoutLocalRefs(schema: unknown): Json & { $defs?: Record<string, Json> } {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
