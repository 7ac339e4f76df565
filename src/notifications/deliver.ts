// Delivers one notification to one target, and puts changes on the event bus. The tasks that jobs use do the delivery, so
// their address rules, signatures and allowed topics apply here too.
import { z } from 'zod';
import { backoffMs } from '../concurrency/backoff.ts';
import { parseExecutionId } from '../domain/executions/ids.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { ChangeMessage, DeliveryMessage } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import { DoNotRetry, RetryAfter, Snooze, type TaskContext, type Tasks } from '../tasks/task.ts';
import { emailSubject, emailText } from './email-text.ts';
import { DONE, type MessageOutcome } from './message-outcome.ts';

export interface Deliverer {
  readonly context: Context;
  /** `http`, `email`, `sns` and `eventbridge`. */
  readonly tasks: Tasks;
  /** The sender of e-mails. Undefined if e-mail notifications are off. */
  readonly emailFrom?: string | undefined;
  /** The EventBridge bus that changes go to. Undefined if there is none. */
  readonly bus?: string | undefined;
  /** Aborted when the process stops. */
  readonly stopping?: AbortSignal | undefined;
}

const TIMEOUT_SECONDS = 10;
/** The deadline for a task that does not keep its own timeout. Above `TIMEOUT_SECONDS`. */
const DEADLINE_MS = 15_000;
/** With the backoff below, about half an hour in all. */
const MAX_ATTEMPTS = 10;
const BACKOFF = { baseMs: 5_000, maxMs: 600_000 };

/** `receiveCount`: how often SQS has delivered the message, which is the number of the attempt. */
export async function deliver(
  deliverer: Deliverer,
  message: DeliveryMessage,
  receiveCount: number,
): Promise<MessageOutcome> {
  const { id, userId, target, payload } = message;
  const about = { idempotencyKey: id, userId, executionId: payload.execution.id };
  if ('webhook' in target) {
    const params = {
      url: target.webhook.url,
      method: 'POST',
      headers: { 'Punctual-Event': payload.event },
      body: payload,
      timeoutSeconds: TIMEOUT_SECONDS,
    };
    return attempt(deliverer, 'http', params, about, receiveCount);
  }
  if ('sns' in target) {
    const params = {
      topicArn: target.sns.topicArn,
      subject: emailSubject(payload)
        .replace(/[^\x20-\x7e]/g, '?')
        .slice(0, 100),
      message: payload,
      attributes: { event: payload.event, notification: id },
    };
    return attempt(deliverer, 'sns', params, about, receiveCount);
  }
  if (deliverer.emailFrom === undefined)
    return { kind: 'never', reason: 'e-mail notifications are off: PUNCTUAL_NOTIFY_EMAIL_FROM is not set' };
  const params = {
    from: deliverer.emailFrom,
    to: [target.email.to],
    subject: emailSubject(payload),
    text: emailText(payload),
  };
  return attempt(deliverer, 'email', params, about, receiveCount);
}

/** Puts a change of an execution on the event bus. Does nothing if there is no bus. */
export async function putOnBus(
  deliverer: Deliverer,
  { userId, name }: Head,
  { jobId, change, execution, at }: ChangeMessage,
  receiveCount: number,
): Promise<MessageOutcome> {
  if (deliverer.bus === undefined) return DONE;
  const params = {
    bus: deliverer.bus,
    source: 'punctual',
    detailType: `Execution ${change}`,
    detail: {
      change,
      userId,
      job: { id: jobId, ...(name !== undefined && { name }) },
      execution,
      at: new Date(at).toISOString(),
    },
  };
  const about = { idempotencyKey: `${execution.id}.${change}`, userId, executionId: execution.id };
  return attempt(deliverer, 'eventbridge', params, about, receiveCount);
}

type About = Pick<TaskContext<unknown>, 'idempotencyKey' | 'userId' | 'executionId'>;

async function attempt(
  deliverer: Deliverer,
  name: string,
  params: unknown,
  about: About,
  receiveCount: number,
): Promise<MessageOutcome> {
  const task = deliverer.tasks.get(name);
  if (!task)
    return {
      kind: 'never',
      reason: `the task "${name}", which delivers such notifications, is not available`,
    };
  const valid = task.params.safeParse(params);
  if (!valid.success) return { kind: 'never', reason: z.prettifyError(valid.error) };
  const { clock, log } = deliverer.context;
  const done = new AbortController();
  const overdue = new AbortController();
  const timer = clock.sleep(DEADLINE_MS, done.signal).then(() => {
    if (!done.signal.aborted) overdue.abort(new Error(`no answer within ${DEADLINE_MS / 1000} s`));
  });
  const { jobId = '', due = '0' } = parseExecutionId(about.executionId) ?? {};
  const context: TaskContext<unknown> = {
    ...about,
    params: valid.data,
    jobId,
    dueAt: new Date(Number(due.slice(0, 13))),
    attempt: receiveCount,
    maxAttempts: MAX_ATTEMPTS,
    fence: 0,
    signal: deliverer.stopping ? AbortSignal.any([overdue.signal, deliverer.stopping]) : overdue.signal,
    log,
    lastCheckpoint: undefined,
    checkpoint: async () => {},
    progress: () => {},
  };
  try {
    await task.run(context);
    return DONE;
  } catch (error) {
    return failed(deliverer, error, receiveCount);
  } finally {
    done.abort();
    await timer;
  }
}

function failed({ context, stopping }: Deliverer, error: unknown, receiveCount: number): MessageOutcome {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (stopping?.aborted) return { kind: 'later', ms: 0 };
  if (error instanceof DoNotRetry) return { kind: 'never', reason };
  if (receiveCount >= MAX_ATTEMPTS)
    return { kind: 'never', reason: `gave up after ${receiveCount} attempts; last error: ${reason}` };
  context.log.info('notification delivery failed and will be retried', { reason, attempt: receiveCount });
  const requested = error instanceof RetryAfter || error instanceof Snooze ? error.seconds * 1000 : 0;
  return { kind: 'later', ms: Math.max(backoffMs(BACKOFF, receiveCount), requested) };
}
