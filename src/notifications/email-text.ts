// A notification in words, for people's mail.
import type { DeliveryMessage } from '../queue/notify-queue.ts';

type Payload = DeliveryMessage['payload'];

const HAS: Record<Payload['event'], string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  retrying: 'did not succeed and is tried again',
  late: 'is late',
  skipped: 'was skipped',
};

/** One line, whatever a job's name is. */
export const emailSubject = ({ event, job }: Payload): string =>
  `[Punctual] ${job.name ?? job.id} ${HAS[event]}`.replace(/\p{C}+/gu, ' ').slice(0, 250);

export function emailText({ event, job, execution, folded, at }: Payload): string {
  const lines = [
    `The job ${job.name ?? job.id} ${HAS[event]}.`,
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
    folded > 0 && `And ${folded} more of this kind since the last notification.`,
  ];
  return lines.filter((line) => typeof line === 'string').join('\n');
}
