// The notifier's configuration: every variable and its default. src/tasks/task-settings.ts has the variables of tasks.
import { z } from 'zod';
import { type Environment, readConfig } from '../runtime/config.ts';
import { publishingVariables } from '../runtime/publishing.ts';

export const notifierVariables = z.object({
  /** The length of a notification window. 0: every event is sent. */
  PUNCTUAL_NOTIFY_WINDOW_SECONDS: z.coerce.number().min(0).max(3600).default(300),
  /** The sender of e-mails, verified in SES. Undefined if e-mail notifications are off. */
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
