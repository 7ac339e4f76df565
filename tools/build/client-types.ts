// The types of each operation for the package, generated from the OpenAPI document. They replace src/client/contract-types.ts, whose
// types are inferred from zod schemas: editors show the fields of a job instead of a nest of generics, and zod is not needed.
import openapiTypescript, { type OpenAPI3 } from 'openapi-typescript';
import { operations } from '../../src/api/contract/contract.ts';
import { openApiDocument } from '../../src/api/openapi/openapi.ts';

/** The contents of `openapi.ts`. */
export const openApiTypes = (): Promise<string> =>
  openapiTypescript(openApiDocument() as unknown as OpenAPI3);

/** The contents of `contract-types.ts`. */
export function contractTypes(): string {
  const endpoints = operations
    .filter(({ success }) => success.contentType === undefined)
    .map(
      ({ id, method, path, success, alternative }) =>
        `  ${id}: { method: '${method}'; path: '${path}'; success: ${success.status}; alternative: ${alternative?.status ?? 'never'} };`,
    );
  return `// The types of each operation.
import type { components, operations } from './openapi.ts';

interface Endpoints {
${endpoints.join('\n')}
}

export type Problem = components['schemas']['Problem'];

/** The operations with a JSON response. The documentation pages are left out. */
export type OperationId = keyof Endpoints;

type JsonOf<Message> = Message extends { content: { 'application/json': infer Json } } ? Json : undefined;
type ResponseOf<Id extends OperationId, Status> = operations[Id]['responses'] extends infer Responses
  ? Status extends keyof Responses
    ? JsonOf<Responses[Status]>
    : undefined
  : never;

export type Method<Id extends OperationId> = Endpoints[Id]['method'];
export type Path<Id extends OperationId> = Endpoints[Id]['path'];
export type Query<Id extends OperationId> = operations[Id] extends { parameters: { query?: infer Fields } }
  ? Fields
  : undefined;
export type Body<Id extends OperationId> = operations[Id] extends { requestBody: infer Message }
  ? JsonOf<Message>
  : operations[Id] extends { requestBody?: infer Message }
    ? JsonOf<NonNullable<Message>> | undefined
    : undefined;

/** The result of a successful call. */
export type Answer<Id extends OperationId> = ResponseOf<Id, Endpoints[Id]['success']>;
/** The result of a call that asks for the alternative response. */
export type Alternative<Id extends OperationId> = ResponseOf<Id, Endpoints[Id]['alternative']>;
`;
}
