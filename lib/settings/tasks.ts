// The settings for what jobs do, and for who is told of it.
import { z } from 'zod';
import { recipientPattern } from '../../src/tasks/aws/recipients.ts';

export const tasks = {
  /**
   * The task `script`: programs that users hand in, each in a container of its own whose role allows nothing. Adds a
   * bucket, an image and a task definition; costs when scripts run.
   * @default false
   */
  scripts: z.boolean().default(false),
  /**
   * Where e-mails may go, by the task `email` and by notifications: addresses, `*@example.com`, `*@*.example.com`.
   * @default - nowhere: e-mail is off
   */
  emailRecipients: z.array(recipientPattern).min(1).optional(),
  /**
   * The EventBridge bus of this account that every change of every execution goes to; its name.
   * @default - none
   */
  eventBus: z
    .string()
    .regex(/^[\w./-]{1,256}$/, { error: 'must be the name of an event bus' })
    .optional(),
};
