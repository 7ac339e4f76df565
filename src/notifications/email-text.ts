// The subject and text of an e-mail notification.
import type { DeliveryMessage } from '../queue/notify-queue.ts';

type Payload = DeliveryMessage['payload'];

const PREDICATES: Record<Payload['event'], string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  retrying: 'failed an attempt and will be retried',
  late: 'is late',
  skipped: 'was skipped',
};

/** One line: control characters of the job's name are replaced. */
export const emailSubject = ({ event, job }: Payload): string =>
  `[Punctual] ${job.name ?? job.id} ${PREDICATES[event]}`.replace(/\p{C}+/gu, ' ').slice(0, 250);

export function emailText({ event, job, execution, folded, at }: Payload): string {
  const lines = [
    `The job ${job.name ?? job.id} ${PREDICATES[event]}.`,
    '',
    `Job        ${job.id}`,
    `Execution  ${execution.id}`,
    `Due        ${execution.dueAt}`,
    `Status     ${execution.status}, attempt ${execution.attempt} of ${execution.maxAttempts}`,
    execution.latenessMs !== undefined && `Lateness   ${execution.latenessMs} ms`,
    execution.error && `Error      ${execution.error.name}: ${execution.error.message}`,
    execution.reason && `Reason     ${execution.reason}`,
    `At         ${at}`,
    folded > 0 && '',
    folded > 0 && `${folded} more events of this kind (${event}) since the last notification.`,
  ];
  return lines.filter((line) => typeof line === 'string').join('\n');
}
