// The method and path of each operation, and whether it may be sent again. The compiler checks that they match the contract
// and that no operation is missing. The contract, and with it zod, is therefore not loaded at run time.
import type { Method, OperationId, Path } from './types.ts';

/**
 * Whether a request may be sent again if its result is unknown.
 * - `always`: the operation is idempotent.
 * - `withKey`: only with an idempotency key or `If-Match`, by which the server recognises the repetition.
 * - `never`: the repetition could start a second run.
 */
export type Repeat = 'always' | 'withKey' | 'never';

export const ENDPOINTS = {
  createJob: { method: 'POST', path: '/jobs', repeat: 'withKey' },
  createJobs: { method: 'POST', path: '/jobs/batch', repeat: 'withKey' },
  listJobs: { method: 'GET', path: '/jobs', repeat: 'always' },
  getJob: { method: 'GET', path: '/jobs/{id}', repeat: 'always' },
  listChanges: { method: 'GET', path: '/jobs/{id}/changes', repeat: 'always' },
  explainJob: { method: 'GET', path: '/jobs/{id}/explain', repeat: 'always' },
  // Without If-Match, a repeated `{ "schedule": { "in": "PT1S" } }` could run twice.
  editJob: { method: 'PATCH', path: '/jobs/{id}', repeat: 'withKey' },
  cancelJob: { method: 'DELETE', path: '/jobs/{id}', repeat: 'always' },
  // The same request leads to the same job.
  putNamedJob: { method: 'PUT', path: '/jobs/by-name/{namespace}/{name}', repeat: 'always' },
  getNamedJob: { method: 'GET', path: '/jobs/by-name/{namespace}/{name}', repeat: 'always' },
  cancelNamedJob: { method: 'DELETE', path: '/jobs/by-name/{namespace}/{name}', repeat: 'always' },
  runJob: { method: 'POST', path: '/jobs/{id}/run', repeat: 'never' },
  pauseJob: { method: 'POST', path: '/jobs/{id}/pause', repeat: 'always' },
  resumeJob: { method: 'POST', path: '/jobs/{id}/resume', repeat: 'always' },
  // A repeated backfill leaves out the occurrences that have an execution.
  backfillJob: { method: 'POST', path: '/jobs/{id}/backfill', repeat: 'always' },
  // A repeated change finds the jobs changed.
  changeJobs: { method: 'POST', path: '/jobs/bulk', repeat: 'always' },
  listJobExecutions: { method: 'GET', path: '/jobs/{id}/executions', repeat: 'always' },
  listExecutions: { method: 'GET', path: '/executions', repeat: 'always' },
  summarizeExecutions: { method: 'GET', path: '/executions/summary', repeat: 'always' },
  getExecution: { method: 'GET', path: '/executions/{id}', repeat: 'always' },
  listLogLines: { method: 'GET', path: '/executions/{id}/logs', repeat: 'always' },
  cancelExecution: { method: 'POST', path: '/executions/{id}/cancel', repeat: 'always' },
  // The execution may have failed again before the repetition.
  retryExecution: { method: 'POST', path: '/executions/{id}/retry', repeat: 'never' },
  getOperation: { method: 'GET', path: '/operations/{id}', repeat: 'always' },
  stopOperation: { method: 'DELETE', path: '/operations/{id}', repeat: 'always' },
  // A repeated request gets the open operation, or begins another one, which finds nothing left.
  eraseOwner: { method: 'DELETE', path: '/owners/{owner}', repeat: 'always' },
  getLimits: { method: 'GET', path: '/limits/{owner}', repeat: 'always' },
  setLimits: { method: 'PUT', path: '/limits/{owner}', repeat: 'always' },
  previewSchedule: { method: 'POST', path: '/schedules/preview', repeat: 'always' },
  listTasks: { method: 'GET', path: '/tasks', repeat: 'always' },
  getStatistics: { method: 'GET', path: '/stats', repeat: 'always' },
  listWorkers: { method: 'GET', path: '/workers', repeat: 'always' },
  getForecast: { method: 'GET', path: '/forecast', repeat: 'always' },
  getSystem: { method: 'GET', path: '/system', repeat: 'always' },
  listDeadLetters: { method: 'GET', path: '/dead-letters', repeat: 'always' },
  redriveDeadLetters: { method: 'POST', path: '/dead-letters/redrive', repeat: 'never' },
  groupDeadLetters: { method: 'GET', path: '/dead-letters/groups', repeat: 'always' },
  // The execution may have been retried and have failed again before the repetition.
  dismissDeadLetters: { method: 'POST', path: '/dead-letters/dismiss', repeat: 'never' },
  health: { method: 'GET', path: '/health', repeat: 'always' },
  openapi: { method: 'GET', path: '/openapi.json', repeat: 'always' },
} as const satisfies { [Id in OperationId]: { method: Method<Id>; path: Path<Id>; repeat: Repeat } };
