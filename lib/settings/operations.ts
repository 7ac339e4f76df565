// The settings of operations: alarms, logs and traces.
import { z } from 'zod';

export const operations = {
  /**
   * The e-mail address that gets alarms. AWS sends a confirmation mail to it first.
   * @default - none; subscribe to the output `AlarmTopic`
   */
  alarmEmail: z.email().optional(),
  /**
   * The URL of the runbook. The description of every alarm links to its section.
   * @default - docs/runbook.md of the repository
   */
  runbookUrl: z.string().default('docs/runbook.md'),
  /**
   * The retention of logs, in days.
   * @default 30
   */
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  /**
   * X-Ray traces from the API to the worker, at $5 per million traces. Lambda samples one API request per second and 5 %
   * of the others, which cannot be changed. Executions are sampled by `traceSampling`.
   * @default false
   */
  tracing: z.boolean().default(false),
  /**
   * With `tracing`, the share of executions that start a trace, from 0 to 1. A worker starts at most ten traces per second.
   * An execution of a traced API request continues the trace of the request.
   * @default 0.01
   */
  traceSampling: z.number().min(0).max(1).default(0.01),
};
