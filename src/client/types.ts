// The types of the client, inferred from the schemas of the contract. The file has types only, so that neither zod nor
// code of the server is loaded at run time.
import type { z } from 'zod';
import type { contract } from '../api/contract/contract.ts';

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
/** The items of a list. */
export type ItemOf<Id extends OperationId> = Answer<Id> extends { items: (infer Item)[] } ? Item : never;

/** The fields of a new job. Only `task` is required. */
export type JobInput = Body<'createJob'>;
/** The fields that an edit may change. */
export type JobChanges = Body<'editJob'>;
export type Job = Answer<'getJob'>;
export type Execution = Answer<'getExecution'>;
/** One change that a person made to a job. */
export type Change = ItemOf<'listChanges'>;
/** A background operation. */
export type Operation = Answer<'getOperation'>;
export type JobStatus = Job['status'];
export type ExecutionStatus = Execution['status'];
/** The result of one job of a batch. */
export type BatchResult = Answer<'createJobs'>['results'][number];
export type Preview = Answer<'previewSchedule'>;
export type Task = ItemOf<'listTasks'>;
export type Worker = ItemOf<'listWorkers'>;
