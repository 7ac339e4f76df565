// The settings of tasks and notifications.
import { z } from 'zod';
import { recipientPattern } from '../../src/tasks/aws/recipients.ts';
import { name } from './shapes.ts';

export const tasks = {
  tasks: name.optional(),
  scripts: z.boolean().default(false),
  emailRecipients: z.array(recipientPattern).min(1).optional(),
  eventBus: z
    .string()
    .regex(/^[\w./-]{1,256}$/, { error: 'must be the name of an event bus' })
    .optional(),
};
