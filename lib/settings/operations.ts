// The settings for those who look after a deployment: alarms, logs, traces.
import { z } from 'zod';

export const operations = {
  /**
   * Who is told by the alarms. (AWS sends a mail that has to be confirmed.)
   * @default - nobody: subscribe to the output `AlarmTopic`
   */
  alarmEmail: z.email().optional(),
  /**
   * Where the alarms' descriptions point to: each one to its section.
   * @default - docs/runbook.md of the repository
   */
  runbookUrl: z.string().default('docs/runbook.md'),
  /**
   * Logs are kept this long.
   * @default 30
   */
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  /**
   * Traces from the API to the worker, in X-Ray, which charges $5 per million of them: one a second and 5 % of the API's
   * requests beyond (Lambda's own sampling, which cannot be set), and `traceSampling` of the executions.
   * @default false
   */
  tracing: z.boolean().default(false),
  /**
   * With `tracing`: the part of the executions that begin a trace, 0 to 1; ten a second and worker at most. Those of a
   * request that is traced go on with its trace.
   * @default 0.01
   */
  traceSampling: z.number().min(0).max(1).default(0.01),
};
