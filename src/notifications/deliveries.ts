// The delivery messages of a notification: one for each target that the job names for the event.
import type { Head } from '../domain/jobs/job.ts';
import type { Notify } from '../domain/jobs/job-spec.ts';
import { lateSecondsOf, type NotifyEvent } from '../domain/jobs/notify-events.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import type { DeliveryMessage } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import { findDefinition } from '../scheduling/records/definitions.ts';

export interface Target {
  /** The position in the job's `notify`. It is part of the delivery's idempotency key. */
  readonly index: number;
  readonly target: DeliveryMessage['target'];
}

/** The targets of the definition in force, which may have changed since the event. 0.5 RRU. */
export async function targetsOf(
  context: Context,
  head: Head,
  event: NotifyEvent,
  latenessMs: number,
): Promise<Target[]> {
  const definition = await findDefinition(context, head);
  return ((definition?.notify ?? []) as readonly Notify[]).flatMap((element, index) => {
    if (!element.on.includes(event)) return [];
    if (event === 'late' && latenessMs < lateSecondsOf(element) * 1000) return [];
    const { webhook, email, sns } = element;
    const target = webhook ? { webhook } : email ? { email } : sns ? { sns } : undefined;
    return target ? [{ index, target }] : [];
  });
}

export interface NotificationContent {
  /** The number of further events that this notification reports. */
  readonly suppressed: number;
  readonly execution: ExecutionView;
  readonly at: number;
}

export function deliveriesOf(
  { jobId, userId, name }: Head,
  event: NotifyEvent,
  key: string,
  targets: readonly Target[],
  { suppressed, execution, at }: NotificationContent,
): DeliveryMessage[] {
  return targets.map(({ index, target }) => ({
    kind: 'delivery',
    id: `${jobId}.${key}.${index}`,
    userId,
    target,
    payload: {
      event,
      job: { id: jobId, ...(name !== undefined && { name }) },
      execution,
      folded: suppressed,
      at: new Date(at).toISOString(),
    },
  }));
}
