// The types of the client: those of each operation, and names for the ones that programs use.
import type { Answer, Body, OperationId } from './contract-types.ts';

export type * from './contract-types.ts';

/** The items of a list. */
export type ItemOf<Id extends OperationId> = Answer<Id> extends { items: (infer Item)[] } ? Item : never;

/** The fields of a new job. Only `task` is required. */
export type JobInput = Body<'createJob'>;
/** The fields that an edit may change. */
export type JobChanges = Body<'editJob'>;
export type Job = Answer<'getJob'>;
/** A job in a list of summaries: without `params` and `notify`. */
export type JobSummary = Omit<Job, 'params' | 'notify' | 'warnings' | 'lastExecution' | 'action'>;
/** One execution in `recent` of a job. */
export type RecentExecution = NonNullable<Job['recent']>[number];
/** The whole description of a job with a name. `task` and `schedule` are required. */
export type NamedJobInput = Body<'putNamedJob'>;
/** The changes that a request by name would make. */
export type NamedJobPlan = Extract<Answer<'putNamedJob'>, { changes: unknown }>;
/** The identity of a job, within its user. */
export interface JobName {
  readonly namespace: string;
  readonly name: string;
}
export type Execution = Answer<'getExecution'>;
/** A line that the task of an execution has logged. */
export type LogLine = ItemOf<'listLogLines'>;
/** Counts and lateness of a user's executions in a range. */
export type ExecutionSummary = Answer<'summarizeExecutions'>;
/** Counts and lateness of all executions over time. */
export type Statistics = Answer<'getStatistics'>;
/** One change that a person made to a job. */
export type Change = ItemOf<'listChanges'>;
/** Why a job did or did not run at a time. */
export type Explanation = Answer<'explainJob'>;
/** A background operation. */
export type Operation = Answer<'getOperation'>;
/** The jobs to change, and the change. */
export type BulkChange = Body<'changeJobs'>;
export type JobStatus = Job['status'];
export type ExecutionStatus = Execution['status'];
/** The result of one job of a batch. */
export type BatchResult = Answer<'createJobs'>['results'][number];
export type Preview = Answer<'previewSchedule'>;
export type Task = ItemOf<'listTasks'>;
/** The limits of an owner. */
export type Limits = Answer<'getLimits'>;
export type Worker = ItemOf<'listWorkers'>;
/** The executions of all users that are due in the next minutes. */
export type Forecast = Answer<'getForecast'>;
/** The state of the deployment. */
export type System = Answer<'getSystem'>;
