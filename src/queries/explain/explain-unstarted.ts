// The explanation of an occurrence of the schedule that has no row: it runs, it was withdrawn, or it has not started yet.
import { dueAtOf, shardOf } from '../../domain/executions/ids.ts';
import { minuteEnd, minuteOf, nextCheckAt } from '../../domain/executions/slots.ts';
import { lengthText } from '../../domain/length-text.ts';
import { DAY, HOUR } from '../../domain/schedule/duration.ts';
import { fireAt } from '../../domain/schedule/occurrences.ts';
import type { Evidence } from '../../domain/views/explanation.ts';
import { isPaused } from '../../domain/views/views.ts';
import { isCoverInFuture } from '../../scheduling/claiming/misfire.ts';
import { regularEntry, writerHorizon } from '../../scheduling/planning/plan.ts';
import {
  type Answer,
  answer,
  beforeCreation,
  type Case,
  changeEvidence,
  changeText,
  hasLiveWorker,
  iso,
  jobEvidence,
  noWorker,
} from './case.ts';
import { limitText, withdrawalOf } from './explain-row.ts';
import { pauseAround, planBefore, withdrawalAfter } from './history.ts';

/** The shortest retention. An execution that is younger has its row, if it has ended. */
const ROWS_KEPT_MS = DAY;
/** An occurrence that was withdrawn later than this after its fire time has probably run, and its row has expired. */
const WITHDRAWN_WITHIN_MS = HOUR;

export async function explainUnstarted(asked: Case, due: number): Promise<Answer> {
  const { head } = asked;
  const occurrence = { due, firesAt: fireAt(asked.schedule, head.jobId, due) };
  return (
    explainWithdrawn(asked, occurrence) ??
    explainFuture(asked, occurrence) ??
    explainCovered(asked, occurrence) ??
    (await explainDue(asked, occurrence))
  );
}

interface Occurrence {
  readonly due: number;
  readonly firesAt: number;
}

/** Before the job existed, in a pause, after a cancel, or withdrawn between its due time and its start. */
function explainWithdrawn(asked: Case, { due, firesAt }: Occurrence): Answer | undefined {
  const { head, now, changes } = asked;
  const tooEarly = beforeCreation(asked, due);
  if (tooEarly) return tooEarly;
  const pause = pauseAround(changes, due, firesAt);
  if (pause) {
    const until = Number.isFinite(pause.until) ? `until ${iso(pause.until)}` : 'until it is resumed';
    const { text } = withdrawalOf(pause.change);
    return answer('paused', `${text}, ${until}.`, changeEvidence(asked, pause.change));
  }
  const change = changes.find(({ what, at }) => what === 'cancelled' && Date.parse(at) <= firesAt);
  if (change) return answer('cancelled', `${withdrawalOf(change).text}.`, changeEvidence(asked, change));
  const later = withdrawalAfter(changes, due);
  const isKnown =
    later && (now - firesAt <= ROWS_KEPT_MS || Date.parse(later.at) - firesAt <= WITHDRAWN_WITHIN_MS);
  if (isKnown) {
    const { verdict, text } = withdrawalOf(later);
    const because = `${text}, which withdrew the occurrence of ${iso(due)}: it had not started.`;
    return answer(verdict, because, changeEvidence(asked, later));
  }
  // a job of a version without records of changes
  if (due >= head.updatedAt && (head.status === 'cancelled' || isPaused(head, due)))
    return answer(
      head.status === 'cancelled' ? 'cancelled' : 'paused',
      `The job is ${head.status === 'cancelled' ? 'cancelled' : 'paused'} since ${iso(head.updatedAt)}.`,
      jobEvidence(asked, 'job changed', head.updatedAt),
    );
  return undefined;
}

function explainFuture(asked: Case, { due, firesAt }: Occurrence): Answer | undefined {
  const { now } = asked;
  if (firesAt <= now) return undefined;
  const jitter = firesAt === due ? '' : `, and starts at ${iso(firesAt)} by its jitter`;
  return answer(
    'notYetDue',
    `The occurrence is due at ${iso(due)}${jitter}, in ${lengthText(firesAt - now)}.`,
    jobEvidence(asked, 'occurrence', due),
  );
}

/** The row of a covered occurrence is written when its message arrives. */
function explainCovered(asked: Case, { due, firesAt }: Occurrence): Answer | undefined {
  const { head, now } = asked;
  const { coveredUntil } = head;
  if (coveredUntil === undefined || isCoverInFuture(now, head)) return undefined;
  if (firesAt > dueAtOf(coveredUntil) || now - firesAt > ROWS_KEPT_MS) return undefined;
  const until = dueAtOf(coveredUntil);
  return answer(
    'coveredByRunOnce',
    `The occurrence of ${iso(due)} was missed, and one run stood for all that were missed up to ${iso(until)}.`,
    jobEvidence(asked, 'one run stands for all that were missed up to', until),
  );
}

/** Due, in force, and not started: sent or not, with or without a worker. */
async function explainDue(asked: Case, occurrence: Occurrence): Promise<Answer> {
  const { context, head, now } = asked;
  const { due, firesAt } = occurrence;
  const { settings, store } = context;
  const number = shardOf(head.jobId, settings.shards);
  const shard = await store.readShard(number);
  const late = `The occurrence of ${iso(due)} is ${lengthText(now - firesAt)} late`;
  const minute = minuteOf(due);
  const dispatched = cursor(`shard ${number} is dispatched until`, shard?.dispatchedUntil);
  if ((shard?.dispatchedUntil ?? 0) < minute && !isSentByWriter(asked, due)) {
    const sent = dispatched.map(({ at }) => `: occurrences of shard ${number} are sent until ${at}`);
    return answer(
      'notDispatched',
      `${late}, and the watcher has not sent it${sent.join('')}.`,
      ...dispatched,
    );
  }
  const isSettled = (shard?.settledUntil ?? 0) >= minute;
  const settled = cursor(`shard ${number} is settled until`, shard?.settledUntil);
  if (isSettled && now - firesAt > ROWS_KEPT_MS)
    return answer(
      'noRecord',
      `The occurrence of ${iso(due)} was due ${lengthText(now - firesAt)} ago, and no execution is recorded: records are removed after the retention.`,
      ...settled,
    );
  const replanned = await explainReplanned(asked, due);
  if (replanned) return replanned;
  if (!(await hasLiveWorker(asked)))
    return noWorker(asked, `${late}: it was sent to the workers, and no worker is alive.`, ...dispatched);
  if (!isSettled || head.limit)
    return answer(
      'waiting',
      `${late}: it was sent to the workers, and waits for ${limitText(asked)}.`,
      ...dispatched,
    );
  const check = nextCheckAt(firesAt, now);
  return answer(
    'beingRecovered',
    `${late}: no worker has started it, so it was sent again; the next check is at ${iso(check)}.`,
    ...settled,
  );
}

/**
 * An edit that sends the same schedule again withdraws what has not started, and its record shows no other schedule. The
 * timetable has no entry of the present revision then. 1 RRU, if the job was edited since.
 */
async function explainReplanned(asked: Case, due: number): Promise<Answer | undefined> {
  const { context, head, changes, hasOlderChanges } = asked;
  const edits = changes.filter(({ what, at }) => what === 'edited' && Date.parse(at) >= due);
  const first = edits.at(-1);
  if (!first || (await context.store.hasEntry(regularEntry(head, due)))) return undefined;
  const oldest = changes.at(-1);
  if (hasOlderChanges && oldest && Date.parse(oldest.at) > due)
    return answer(
      'noRecord',
      `The occurrence of ${iso(due)} was withdrawn before it started, by one of the changes before ${oldest.at}, which are not read.`,
      changeEvidence(asked, oldest),
    );
  const because = `${changeText(first, 'edited the job')} and planned its schedule again, which withdrew the occurrence of ${iso(due)}: it had not started.`;
  return answer('edited', because, ...edits.map((edit) => changeEvidence(asked, edit)));
}

/** A create, a resume or an edit sends the occurrences of the next minutes itself. */
function isSentByWriter({ context, changes }: Case, due: number): boolean {
  const plan = planBefore(changes, due);
  return plan !== undefined && due <= writerHorizon(context.settings, Date.parse(plan.at));
}

/** Empty if no watcher has visited the shard yet. */
const cursor = (what: string, minute: number | undefined): Evidence[] =>
  minute === undefined ? [] : [{ what, at: iso(minuteEnd(minute)) }];
