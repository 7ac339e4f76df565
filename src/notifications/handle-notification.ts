// Notify: what the ledger confirms is told to whom the job names, at most once per job and kind in a window; what comes
// in between is counted, and told together when the window is over.
import { isTerminal } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Notify } from '../domain/jobs/job-spec.ts';
import { lateSecondsOf, type NotifyEvent } from '../domain/jobs/notify-events.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, executionToCome } from '../domain/views/views.ts';
import type {
  ChangeMessage,
  DeliveryMessage,
  EventMessage,
  NotifyMessage,
  NotifyQueue,
  SummaryMessage,
} from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import { findDefinition } from '../scheduling/records/definitions.ts';
import type { Notice } from '../store/store.ts';
import { type Deliver, deliver, putOnBus } from './deliver.ts';
import { confirm } from './verify-event.ts';

export interface Notifier extends Deliver {
  readonly context: Context;
  readonly queue: NotifyQueue;
  /** At most one notification per job and kind in so long. */
  readonly windowMs: number;
}

/** What becomes of a message. */
export type Answer =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly ms: number }
  /** For people to look at. */
  | { readonly kind: 'never'; readonly reason: string };

const DONE: Answer = { kind: 'done' };

/** After so many looks a write that was announced will not come: whoever was to do it is gone, and who took over has said its own. */
const LOOK_AGAIN_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000];
const MAX_ROUNDS = 8;
/** The latest that a notice remembers: it stays below 1 KB. */
const MAX_RECENT = 12;
const NOTICE_KEPT_MS = 86_400_000;

/** `times`: how often the message was handed out. */
export async function notify(notifier: Notifier, message: NotifyMessage, times: number): Promise<Answer> {
  switch (message.kind) {
    case 'delivery':
      return deliver(notifier, message, times);
    case 'summary':
      return tellSummary(notifier, message);
    default:
      return tellConfirmed(notifier, message, times);
  }
}

async function tellConfirmed(
  notifier: Notifier,
  message: EventMessage | ChangeMessage,
  times: number,
): Promise<Answer> {
  const { context } = notifier;
  const confirmed = await confirm(context, message);
  if (confirmed === 'no') return DONE;
  if (confirmed === 'not yet') {
    const ms = LOOK_AGAIN_MS[times - 1];
    return ms === undefined ? DONE : { kind: 'later', ms };
  }
  // 0.5 RRU
  const head = await context.store.readHead(message.jobId, { consistent: false });
  if (!head) return DONE;
  if (message.kind === 'change') return putOnBus(notifier, head, message, times);
  return tellEvent(notifier, head, message);
}

async function tellEvent(notifier: Notifier, head: Head, message: EventMessage): Promise<Answer> {
  const { context, queue } = notifier;
  const { store, clock, random } = context;
  const { jobId, due, event, row } = message;
  const targets = await targetsOf(context, head, event, latenessOf(context, message));
  if (targets.length === 0) return DONE;
  const key = row ? `${due}.${row.fence ?? ''}.${row.status}` : `${due}.late${targets.length}`;
  // settle says every few minutes that something has not started: only the same message may open its window again
  const opener = row ? key : `${key}@${message.at}`;

  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const now = clock.now();
    const seen = await store.readNotice(jobId, event);
    const open = seen !== undefined && now < seen.until;
    if (seen?.opener !== opener && seen?.recent.includes(key)) return told(context, message);
    if (open && seen.opener !== opener) {
      // before it is counted: a summary too many finds nothing to say
      if (seen.folded === 0) {
        const summary = { kind: 'summary' as const, id: random.id(12), jobId, event, until: seen.until };
        await queue.send([summary], seen.until - now);
      }
      const counted = { ...seen, folded: seen.folded + 1, last: due, recent: remember(seen.recent, key) };
      if (await writeNotice(context, seen, counted)) return told(context, message);
    } else {
      // what the last window kept back and no summary has told yet goes along
      const before = seen?.opener === opener ? (seen.summary?.folded ?? 0) : 0;
      const kept = before + (open ? 0 : (seen?.folded ?? 0));
      const summary = kept > 0 ? { folded: kept, last: due } : undefined;
      const recent = remember(seen?.recent ?? [], key);
      const opened = { jobId, event, until: now + notifier.windowMs, opener, folded: 0, recent };
      // opened by this very message before: its deliveries may not have been sent
      if (open || (await writeNotice(context, seen, { ...opened, ...(summary && { summary }), stamp: '' }))) {
        const payload = { folded: kept, execution: message.execution, at: message.at };
        await queue.send(deliveries(head, event, opener, targets, payload));
        return told(context, message);
      }
    }
    await clock.sleep(random.float() * 50 * round);
  }
  return { kind: 'later', ms: 1_000 + random.float() * 4_000 };
}

/** The end of a window in which something was kept back. */
async function tellSummary(notifier: Notifier, { id, jobId, event, until }: SummaryMessage): Promise<Answer> {
  const { context, queue } = notifier;
  const { store, clock } = context;
  const now = clock.now();
  const seen = await store.readNotice(jobId, event);
  if (!seen) return DONE;
  let summary = seen.opener === id ? seen.summary : undefined;
  if (!summary) {
    // another window has begun: whoever began it took along what this one had kept back
    if (seen.until !== until) return DONE;
    if (now < until) return { kind: 'later', ms: until - now };
    if (seen.folded === 0 || seen.last === undefined) return DONE;
    summary = { folded: seen.folded - 1, last: seen.last };
    const opened = {
      jobId,
      event,
      until: now + notifier.windowMs,
      opener: id,
      folded: 0,
      recent: seen.recent,
    };
    if (!(await writeNotice(context, seen, { ...opened, summary, stamp: '' })))
      return { kind: 'later', ms: 1_000 };
  }
  const head = await store.readHead(jobId, { consistent: false });
  const row = await store.readRow(jobId, summary.last, { consistent: false });
  if (!head) return DONE;
  const execution = row ? executionOfRow(row) : executionToCome(head, summary.last, now);
  const targets = await targetsOf(context, head, event, Number.POSITIVE_INFINITY);
  const payload = { folded: summary.folded, execution, at: now };
  await queue.send(deliveries(head, event, id, targets, payload));
  return DONE;
}

/** So that settle need not say it again, and a message that comes twice is not counted twice. 1 WRU; the end may have been reopened since. */
async function told({ store }: Context, { jobId, due, row }: EventMessage): Promise<Answer> {
  if (row && isTerminal(row.status))
    await store.markNotified(jobId, due, { status: row.status, fence: row.fence });
  return DONE;
}

const remember = (recent: readonly string[], key: string): string[] =>
  [...recent.filter((one) => one !== key), key].slice(-MAX_RECENT);

function writeNotice({ store, random }: Context, seen: Notice | undefined, notice: Notice): Promise<boolean> {
  const expiresAt = Math.ceil((notice.until + NOTICE_KEPT_MS) / 1000);
  return store.writeNotice(seen, { ...notice, stamp: random.id(12) }, expiresAt);
}

interface Target {
  readonly index: number;
  readonly target: DeliveryMessage['target'];
}

/** 0.5 RRU. By the definition in force: it may have changed since the event. */
async function targetsOf(
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

function latenessOf({ clock }: Context, { late }: EventMessage): number {
  return late ? (late.startedAt ?? clock.now()) - late.expectedAt : 0;
}

function deliveries(
  { jobId, userId, name }: Head,
  event: NotifyEvent,
  key: string,
  targets: readonly Target[],
  { folded, execution, at }: { folded: number; execution: ExecutionView; at: number },
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
      folded,
      at: new Date(at).toISOString(),
    },
  }));
}
