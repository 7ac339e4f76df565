// The status of a job or of an execution: an icon, a colour and the word.
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { ExecutionStatus, JobStatus } from '../../src/client/types.ts';

const TYPES: Readonly<Record<JobStatus | ExecutionStatus, StatusIndicatorProps.Type>> = {
  active: 'success',
  paused: 'stopped',
  completed: 'info',
  failed: 'error',
  cancelled: 'stopped',
  scheduled: 'pending',
  queued: 'pending',
  running: 'in-progress',
  retrying: 'warning',
  succeeded: 'success',
  skipped: 'not-started',
};

export const Status = ({ status }: { status: JobStatus | ExecutionStatus }) => (
  <StatusIndicator type={TYPES[status] ?? 'info'}>{status}</StatusIndicator>
);
