// The keys of everything that the console reads. A change of a job makes `keys.ofJob(id)` and `keys.allJobs` stale.
import type { Query } from '../../src/client/types.ts';

export type JobsQuery = NonNullable<Query<'listJobs'>>;
export type DeadLettersQuery = NonNullable<Query<'listDeadLetters'>>;
export type DeadLetterGroupsQuery = NonNullable<Query<'groupDeadLetters'>>;
export type JobExecutionsQuery = NonNullable<Query<'listJobExecutions'>>;

export const keys = {
  allJobs: ['jobs'] as const,
  jobs: (query: JobsQuery) => ['jobs', query] as const,
  /** The jobs that a page can name. `owner`: those of another user. */
  knownJobs: (owner: string | undefined) => ['jobs', 'known', owner] as const,
  search: (text: string) => ['search', text] as const,
  ofJob: (id: string) => ['job', id] as const,
  job: (id: string) => ['job', id, 'job'] as const,
  executionsOfJob: (id: string, query: JobExecutionsQuery) => ['job', id, 'executions', query] as const,
  explanation: (id: string, at: string | undefined) => ['job', id, 'explanation', at] as const,
  audit: (id: string, range: object | undefined) => ['job', id, 'audit', range] as const,
  changes: (id: string) => ['job', id, 'changes'] as const,
  execution: (id: string) => ['execution', id] as const,
  logLines: (id: string) => ['execution', id, 'log lines'] as const,
  allDeadLetters: ['dead letters'] as const,
  deadLetters: (query: DeadLettersQuery) => ['dead letters', 'list', query] as const,
  deadLetterGroups: (query: DeadLetterGroupsQuery) => ['dead letters', 'groups', query] as const,
  executionSummary: (range: string) => ['executions', 'summary', range] as const,
  executions: (kind: 'list' | 'running' | 'follow', filter: object, range: string) =>
    ['executions', kind, filter, range] as const,
  running: ['executions', 'running'] as const,
  system: ['system'] as const,
  workers: ['workers'] as const,
  forecast: ['forecast'] as const,
  statistics: (range: string) => ['statistics', range] as const,
  tasks: ['tasks'] as const,
};
