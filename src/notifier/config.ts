// The notifier's configuration: every variable and its default. What tasks may use is in src/tasks/task-settings.ts.
import { z } from 'zod';
import { type Environment, readConfig } from '../runtime/config.ts';
import { publishingVariables } from '../runtime/publishing.ts';

export const notifierVariables = z.object({
  /** At most one notification per job and kind in so long; what comes in between is counted. 0: every one is told. */
  PUNCTUAL_NOTIFY_WINDOW_SECONDS: z.coerce.number().min(0).max(3600).default(300),
  /** Who e-mails are from: a sender that is verified in SES. Absent: there are none. */
  PUNCTUAL_NOTIFY_EMAIL_FROM: z.email().optional(),
  PUNCTUAL_EVENT_BUS: publishingVariables.shape.PUNCTUAL_EVENT_BUS,
});

export interface NotifierConfig {
  readonly windowMs: number;
  readonly emailFrom: string | undefined;
  readonly bus: string | undefined;
}

export function readNotifierConfig(env: Environment): NotifierConfig {
  const given = readConfig(notifierVariables, env);
  return {
    windowMs: given.PUNCTUAL_NOTIFY_WINDOW_SECONDS * 1000,
    emailFrom: given.PUNCTUAL_NOTIFY_EMAIL_FROM,
    bus: given.PUNCTUAL_EVENT_BUS,
  };
}
