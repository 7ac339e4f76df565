// The task `eventbridge`: puts one event on a bus.
import { z } from 'zod';
import type { TaskServices } from '../services.ts';
import { defineTask, type Task } from '../task.ts';
import { callAws, entryFailure } from './sdk-errors.ts';

export const eventbridgeParams = z
  .strictObject({
    bus: z
      .string()
      .regex(
        /^(arn:aws[\w-]*:events:[\w-]+:\d{12}:event-bus\/)?[/.\-_A-Za-z0-9]{1,256}$/,
        'must be the name or ARN of an event bus',
      )
      .optional()
      .describe('name or ARN of the event bus; default "default"'),
    source: z
      .string()
      .regex(
        /^(?!aws\.)[\x21-\x7e]{1,256}$/,
        'must be 1 to 256 ASCII characters without spaces and not begin with "aws."',
      )
      .describe('source of the event, such as "com.example.billing"'),
    detailType: z.string().min(1).max(128).describe('type of the event'),
    detail: z.record(z.string(), z.unknown()).describe('content of the event, a JSON object'),
    resources: z
      .array(z.string().min(1).max(2048))
      .max(10)
      .optional()
      .describe('ARNs of the resources of the event'),
  })
  .meta({
    examples: [
      { bus: 'orders', source: 'com.example.billing', detailType: 'MonthClosed', detail: { month: 11 } },
    ],
  });

export type EventbridgeParams = z.infer<typeof eventbridgeParams>;

export const eventbridgeTask = (services: TaskServices): Task<EventbridgeParams> =>
  defineTask<EventbridgeParams>({
    name: 'eventbridge',
    description: 'Puts an event on an EventBridge bus. The time of the event is the due time.',
    params: eventbridgeParams,
    async run({ params, signal, userId, dueAt }) {
      const { aws, targets } = services;
      const bus = params.bus ?? 'default';
      targets.check('eventbridge', bus, userId);
      const what = `put an event on the bus "${bus}"`;
      const { PutEventsCommand } = await import('@aws-sdk/client-eventbridge');
      const client = await aws.eventbridge();
      const { FailedEntryCount, Entries = [] } = await callAws(what, signal, () =>
        client.send(
          new PutEventsCommand({
            Entries: [
              {
                EventBusName: bus,
                Source: params.source,
                DetailType: params.detailType,
                Detail: JSON.stringify(params.detail),
                Resources: params.resources,
                Time: dueAt,
              },
            ],
          }),
          { abortSignal: signal },
        ),
      );
      // The call succeeds even if its only event was refused.
      const [entry] = Entries;
      if (FailedEntryCount || !entry?.EventId)
        throw entryFailure(what, entry?.ErrorCode, entry?.ErrorMessage);
      return { eventId: entry.EventId };
    },
  });
