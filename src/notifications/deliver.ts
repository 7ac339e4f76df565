// Delivers one notification to one target, by the tasks that do the same for jobs: the addresses that they refuse, the
// signature, the topics that are allowed hold here too. And puts changes on the event bus.
import { z } from 'zod';
import { parseExecutionId } from '../domain/executions/ids.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { ChangeMessage, DeliveryMessage } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import { DoNotRetry, RetryAfter, Snooze, type TaskContext, type Tasks } from '../tasks/task.ts';
import { emailSubject, emailText } from './email-text.ts';
import type { Answer } from './handle-notification.ts';

export interface Deliver {
  readonly context: Context;
  /** `http`, `email`, `sns` and `eventbridge`. */
  readonly tasks: Tasks;
  /** Who e-mails are from; absent: there are none. */
  readonly emailFrom?: string | undefined;
  /** Where changes go; absent: nowhere. */
  readonly bus?: string | undefined;
  /** The process is to stop. */
  readonly stopping?: AbortSignal | undefined;
}

const TIMEOUT_SECONDS = 10;
/** A little more, for what does not keep its own limit. */
const GIVE_UP_MS = 15_000;
/** Half an hour in all. */
const MAX_TRIES = 10;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 600_000;

export async function deliver(from: Deliver, message: DeliveryMessage, times: number): Promise<Answer> {
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
    return attempt(from, 'http', params, about, times);
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
    return attempt(from, 'sns', params, about, times);
  }
  if (from.emailFrom === undefined)
    return { kind: 'never', reason: 'no sender of e-mails is configured: PUNCTUAL_NOTIFY_EMAIL_FROM' };
  const params = {
    from: from.emailFrom,
    to: [target.email.to],
    subject: emailSubject(payload),
    text: emailText(payload),
  };
  return attempt(from, 'email', params, about, times);
}

export async function putOnBus(
  from: Deliver,
  { userId, name }: Head,
  { jobId, change, execution, at }: ChangeMessage,
  times: number,
): Promise<Answer> {
  if (from.bus === undefined) return { kind: 'done' };
  const params = {
    bus: from.bus,
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
  return attempt(from, 'eventbridge', params, about, times);
}

type About = Pick<TaskContext<unknown>, 'idempotencyKey' | 'userId' | 'executionId'>;

async function attempt(
  from: Deliver,
  name: string,
  params: unknown,
  about: About,
  times: number,
): Promise<Answer> {
  const task = from.tasks.get(name);
  if (!task) return { kind: 'never', reason: `there is no task "${name}" to deliver it with` };
  const valid = task.params.safeParse(params);
  if (!valid.success) return { kind: 'never', reason: z.prettifyError(valid.error) };
  const { clock, log } = from.context;
  const done = new AbortController();
  const tooLong = new AbortController();
  const timer = clock.sleep(GIVE_UP_MS, done.signal).then(() => {
    if (!done.signal.aborted) tooLong.abort(new Error(`no answer within ${GIVE_UP_MS / 1000} s`));
  });
  const { jobId = '', due = '0' } = parseExecutionId(about.executionId) ?? {};
  const context: TaskContext<unknown> = {
    ...about,
    params: valid.data,
    jobId,
    dueAt: new Date(Number(due.slice(0, 13))),
    attempt: times,
    maxAttempts: MAX_TRIES,
    fence: 0,
    signal: from.stopping ? AbortSignal.any([tooLong.signal, from.stopping]) : tooLong.signal,
    log,
    lastCheckpoint: undefined,
    checkpoint: async () => {},
  };
  try {
    await task.run(context);
    return { kind: 'done' };
  } catch (error) {
    return failed(from, error, times);
  } finally {
    done.abort();
    await timer;
  }
}

function failed({ context, stopping }: Deliver, error: unknown, times: number): Answer {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (stopping?.aborted) return { kind: 'later', ms: 0 };
  if (error instanceof DoNotRetry) return { kind: 'never', reason };
  if (times >= MAX_TRIES) return { kind: 'never', reason: `tried ${times} times; the last time: ${reason}` };
  context.log.info('a notification was not delivered; it is tried again', { reason, times });
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (times - 1), MAX_BACKOFF_MS);
  const asked = error instanceof RetryAfter || error instanceof Snooze ? error.seconds * 1000 : 0;
  return { kind: 'later', ms: Math.max(backoff, asked) };
}
