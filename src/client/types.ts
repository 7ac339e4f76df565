// The client's types, all inferred from the contract's schemas: nothing is declared a second time. Types only, so neither
// zod nor the server's code comes along at run time.
import type { z } from 'zod';
import type { contract } from '../api/contract/contract.ts';

type Contract = typeof contract;

type Part<Id extends keyof Contract, Name extends string> = Contract[Id] extends {
  readonly [N in Name]: infer Value;
}
  ? Value
  : undefined;

/** The operations that answer with JSON; pages for people are not called by programs. */
export type OperationId = {
  [Id in keyof Contract]: Part<Id, 'success'> extends { readonly contentType: string } ? never : Id;
}[keyof Contract];

type Given<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type Parsed<Success> = Success extends { readonly body: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

export type Method<Id extends OperationId> = Contract[Id]['method'];
export type Path<Id extends OperationId> = Contract[Id]['path'];
export type Query<Id extends OperationId> = Given<Part<Id, 'query'>>;
export type Body<Id extends OperationId> = Given<Part<Id, 'body'>>;

/** What a successful call resolves with. */
export type Answer<Id extends OperationId> = Parsed<Part<Id, 'success'>>;
/** What it resolves with when the request asked for the other form. */
export type Alternative<Id extends OperationId> = Parsed<Part<Id, 'alternative'>>;
/** What a list has many of. */
export type ItemOf<Id extends OperationId> = Answer<Id> extends { items: (infer Item)[] } ? Item : never;

/** A job as it is created; only `task` is required. */
export type JobInput = Body<'createJob'>;
/** What an edit may change. */
export type JobChanges = Body<'editJob'>;
export type Job = Answer<'getJob'>;
export type Execution = Answer<'getExecution'>;
/** One change that a person made to a job. */
export type Change = ItemOf<'listChanges'>;
/** A background operation. */
export type Operation = Answer<'getOperation'>;
export type JobStatus = Job['status'];
export type ExecutionStatus = Execution['status'];
/** In the order of the jobs given. */
export type BatchResult = Answer<'createJobs'>['results'][number];
export type Preview = Answer<'previewSchedule'>;
export type Task = ItemOf<'listTasks'>;
export type Worker = ItemOf<'listWorkers'>;
