// The types of each operation, inferred from the schemas of the contract. The file has types only, so that neither zod nor code
// of the server is loaded at run time. The package has another version of this file, generated from the OpenAPI document
// (tools/build/client-types.ts), so that its declarations need no zod.
import type { z } from 'zod';
import type { contract } from '../api/contract/contract.ts';

export type { Problem } from '../api/contract/response-schemas.ts';

type Contract = typeof contract;

type Part<Id extends keyof Contract, Name extends string> = Contract[Id] extends {
  readonly [N in Name]: infer Value;
}
  ? Value
  : undefined;

/** The operations with a JSON response. The documentation pages are left out. */
export type OperationId = {
  [Id in keyof Contract]: Part<Id, 'success'> extends { readonly contentType: string } ? never : Id;
}[keyof Contract];

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type Parsed<Success> = Success extends { readonly body: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

export type Method<Id extends OperationId> = Contract[Id]['method'];
export type Path<Id extends OperationId> = Contract[Id]['path'];
export type Query<Id extends OperationId> = InputOf<Part<Id, 'query'>>;
export type Body<Id extends OperationId> = InputOf<Part<Id, 'body'>>;

/** The result of a successful call. */
export type Answer<Id extends OperationId> = Parsed<Part<Id, 'success'>>;
/** The result of a call that asks for the alternative response. */
export type Alternative<Id extends OperationId> = Parsed<Part<Id, 'alternative'>>;
