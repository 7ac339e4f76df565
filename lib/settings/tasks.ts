// The settings of tasks and notifications.
import { z } from 'zod';
import { recipientPattern } from '../../src/tasks/aws/recipients.ts';

export const tasks = {
  /**
   * The task `script`, which runs programs of users. Each run has its own container, whose role has no permissions. The
   * setting adds a bucket, an image and a task definition. Costs arise only when scripts run.
   * @default false
   */
  scripts: z.boolean().default(false),
  /**
   * The allowed recipients of the task `email` and of notifications: addresses, `*@example.com`, `*@*.example.com`.
   * @default - none: e-mail is off
   */
  emailRecipients: z.array(recipientPattern).min(1).optional(),
  /**
   * The name of an EventBridge bus of this account. Every status change of an execution is published to it.
   * @default - none
   */
  eventBus: z
    .string()
    .regex(/^[\w./-]{1,256}$/, { error: 'must be the name of an event bus' })
    .optional(),
};
