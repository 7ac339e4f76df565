// `punctual/tasks`: what a custom task imports (docs/custom-tasks.md).
export {
  DoNotRetry,
  defineTask,
  RetryAfter,
  Snooze,
  type Task,
  type TaskContext,
  type TaskLog,
} from './task.ts';
