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

/** The description of each error response. */
const PROBLEM_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid. `errors` names each wrong field, the value given and the values allowed.',
  401: 'The token is missing or invalid.',
  403: 'Only operators, or only the owner of the job, may do this.',
  404: 'The resource does not exist or belongs to another user.',
  409: 'The request conflicts with the current state of the job or execution.',
  412: 'The job has changed: its ETag does not match `If-Match`.',
  413: 'The body is larger than 256 KiB.',
  415: 'The content type is not JSON.',
  422: 'The schedule is valid but never fires.',
  429: 'A limit of the owner is reached. `limit` names it, with its value. `Retry-After` has the time to wait.',
  500: 'An internal error. The log of the service has the cause under the request id.',
  501: 'This server has no such data: its workers run in other processes.',
  503: 'The service is overloaded, or a service that it depends on is unavailable. Try again later.',
};

const REQUEST_ID = {
  description: 'The request id: the one in the request, or a new one. Log lines have it, too.',
  schema: { type: 'string' },
};

let cached: Json | undefined;

export function openApiDocument(): Json {
  cached ??= createDocument();
  return cached;
}

function createDocument(): Json {
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
  schemas.Schedule = oneOf(scheduleVariants, 'A schedule of exactly one kind.');
  schemas.ShownSchedule = oneOf(
    storedScheduleVariants,
    'The schedule as given, with relative times resolved.',
  );
  const problem = toSchema(problemShape, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Punctual',
      version: VERSION,
      description:
        'A job scheduler. Jobs run at least once, never twice at the same time, and every run leaves a record. Requests and responses are JSON. Times are ISO 8601 with an offset. Errors are RFC 9457 problem details. Unknown fields are refused.',
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
            'A JWT of the OIDC issuer. The claim `sub` is the user id. Operators are the members of one group, by default `punctual-operators`, in the claim `groups` or `cognito:groups`.',
        },
      },
      responses: Object.fromEntries(
        Object.entries(PROBLEM_DESCRIPTIONS).map(([status, description]) => [
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

/** Replaces a schedule by a reference to its component, which is a `oneOf` of its kinds. */
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

const TAGS = ['jobs', 'executions', 'operations', 'schedules', 'dead-letters', 'limits'];

const tagOf = ({ path }: Operation): string => {
  const resource = path.split('/')[1] ?? '';
  return TAGS.includes(resource) ? resource : 'service';
};

function responseOf({ description, body, contentType, headers = {} }: Success, toSchema: ToSchema): Json {
  const documented = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const content = body
    ? { 'application/json': { schema: toSchema(body, 'output') } }
    : contentType && { [contentType.split(';')[0] ?? '']: { schema: { type: 'string' } } };
  return {
    description,
    headers: { ...Object.fromEntries(documented), 'x-request-id': REQUEST_ID },
    ...(content && { content }),
  };
}

function headersOf(status: number): Json {
  const retryAfter = {
    description: 'Seconds to wait before the next attempt. Absent if waiting does not help.',
    schema: { type: 'integer' },
  };
  return {
    'x-request-id': REQUEST_ID,
    ...([429, 503].includes(status) && { 'retry-after': retryAfter }),
    ...(status === 401 && {
      'www-authenticate': {
        description: '`Bearer`, with an error code if the token is invalid.',
        schema: { type: 'string' },
      },
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

/** zod puts named schemas into `$defs` of each schema. Here all of them are in `components`. */
function withoutLocalRefs(schema: unknown): Json & { $defs?: Record<string, Json> } {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
