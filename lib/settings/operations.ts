// The settings of operations: alarms, logs and traces.
import { z } from 'zod';

export const operations = {
  alarmEmail: z.email().optional(),
  canary: z.boolean().default(false),
  runbookUrl: z.string().default('docs/runbook.md'),
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  tracing: z.boolean().default(false),
  traceSampling: z.number().min(0).max(1).default(0.01),
};
