// `punctual/testing`: schedules and jobs in unit tests, on virtual time (docs/testing.md).
export { defineJob, type JobFields, type JobOf, type ParamsOf } from './define-job.ts';
export type { Instant } from './instant.ts';
export { type OccurrencesOptions, occurrences } from './occurrences.ts';
export { type SimulateOptions, simulate } from './simulate.ts';
export type { Simulated, SimulatedExecution } from './simulated.ts';
export type { SimulatedContext, SimulatedRun, SimulatedTasks } from './simulated-tasks.ts';
