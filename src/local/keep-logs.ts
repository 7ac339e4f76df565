// Keeps the log lines of this process's worker for the API of the same process.
import type { Timer } from '../concurrency/timer.ts';
import type { Log } from '../scheduling/context.ts';
import type { LogLineStore } from '../store/log-lines.ts';
import type { ExecutionLogs, LineRecorder } from '../telemetry/execution-logs.ts';
import { createLogBuffer } from '../telemetry/stored/log-buffer.ts';
import { createStoredLogs } from '../telemetry/stored/stored-logs.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';

export function keepLogs(
  store: LogLineStore,
  timer: Timer,
  lifecycle: ProcessLifecycle,
  log: Log,
): { lines: LineRecorder; logs: ExecutionLogs } {
  const lines = createLogBuffer({
    store,
    timer,
    onLost: (executionId, count, error) =>
      log.warn('failed to store log lines', { executionId, lines: count, error }),
  });
  lifecycle.defer(() => lines.close());
  return { lines, logs: createStoredLogs(store, lines) };
}
