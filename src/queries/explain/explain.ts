// Why a job did or did not run at a time: one verdict, one sentence, and the evidence.
//
// At most 7 RRU, if rows, heads and records have their ordinary sizes. The last 20 changes cost up to 2. The head, the row or the
// rows around the time, the row that has the lock, the cursors of the shard and a live worker cost 1 each. The entry of a late
// occurrence whose job was edited after its due time costs 1 more.
import { type DueKey, dueAtOf, dueBound, dueKey } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { lengthText } from '../../domain/length-text.ts';
import type { Principal } from '../../domain/principal.ts';
import { END_OF_TIME, START_OF_TIME } from '../../domain/schedule/instant.ts';
import { type NearOccurrence, occurrenceNear } from '../../domain/schedule/occurrence-near.ts';
import { nextOrSearching } from '../../domain/schedule/occurrences.ts';
import type { ExplanationView } from '../../domain/views/explanation.ts';
import { searchingSince } from '../../domain/views/views.ts';
import { requireJob } from '../../jobs/access.ts';
import { lastChange } from '../../jobs/change-records.ts';
import type { Context } from '../../scheduling/context.ts';
import { searchesOf } from '../../scheduling/searches.ts';
import { followChanges } from '../list-changes.ts';
import { type Answer, type Case, iso, TOLERANCE_MS, withoutStop } from './case.ts';
import { explainAbsent } from './explain-absent.ts';
import { explainRow } from './explain-row.ts';
import { explainUnstarted } from './explain-unstarted.ts';
import { latestDue, scheduleAt } from './history.ts';

/** Records of changes that are read. Older ones are not known, and the schedule before them is taken for the one of then. */
const MAX_CHANGES = 20;
/** Rows around the time asked for that are read, if the schedule has no occurrence at that very time. */
const MAX_ROWS = 5;

/** Explains the occurrence nearest to `at`. If `at` is undefined, the latest one that was due. */
export async function explain(
  context: Context,
  who: Principal,
  jobId: string,
  at: number | undefined,
): Promise<ExplanationView> {
  const head = await requireJob(context, who, jobId);
  const asked = await caseOf(context, who, head, at);
  const near = occurrenceNear(asked.schedule, jobId, asked.at, TOLERANCE_MS);
  const row = await rowNear(asked, near);
  if (row) return view(asked, dueAtOf(row.due), await explainRow(asked, row));
  if (near) return view(asked, near.due, await explainUnstarted(asked, near.due));
  return view(asked, undefined, explainAbsent(asked));
}

async function caseOf(context: Context, who: Principal, head: Head, at: number | undefined): Promise<Case> {
  const now = context.clock.now();
  const { items: changes, next } = await followChanges(context, head.jobId, lastChange(head), MAX_CHANGES);
  const latest = at ?? latestDue(head, changes, now) ?? now;
  const clamped = Math.min(Math.max(latest, START_OF_TIME), END_OF_TIME - 1);
  const schedule = scheduleAt(head.schedule, changes, clamped);
  return { context, who, head, at: clamped, now, changes, hasOlderChanges: next !== undefined, schedule };
}

/**
 * The row of the occurrence, or a row that is nearer to the time: a manual run, or an occurrence of a schedule that was edited
 * since.
 */
async function rowNear(asked: Case, near: NearOccurrence | undefined): Promise<Row | undefined> {
  const { context, head, at } = asked;
  const within = near?.distance ?? TOLERANCE_MS;
  const own = near && dueKey(near.due);
  const isMeant = (due: DueKey): boolean => due === own || (within > 0 && isWithin(due, at, within));
  const rows =
    own !== undefined && within === 0
      ? [await context.store.readRow(head.jobId, own, { consistent: true })].flatMap((row) => row ?? [])
      : (await rowsAround(asked, near, within)).filter(({ due }) => isMeant(due));
  // with jitter, an occurrence is near from its due time to its fire time
  const distance = ({ due }: Row): number =>
    due === own ? (near?.distance ?? 0) : Math.abs(dueAtOf(due) - at);
  return rows.toSorted((a, b) => distance(a) - distance(b))[0];
}

/**
 * The row of the occurrence, and the nearest of the others. 1 RRU, and 1 more if more than `MAX_ROWS` rows are around the time.
 */
async function rowsAround(
  { context: { store }, head: { jobId }, at }: Case,
  near: NearOccurrence | undefined,
  within: number,
): Promise<readonly Row[]> {
  const from = dueBound(Math.min(near?.due ?? at, at - within));
  const to = dueBound(at + within + 1);
  const rows = await store.listRows(jobId, {
    ...{ from, to, limit: MAX_ROWS, newestFirst: false, consistent: true },
  });
  if (rows.next === undefined) return rows.items;
  const middle = dueBound(at + 1);
  const [before, after] = await Promise.all([
    store.listRows(jobId, { from, to: middle, limit: 1, newestFirst: true, consistent: false }),
    store.listRows(jobId, { from: middle, to, limit: 1, newestFirst: false, consistent: false }),
  ]);
  return [...rows.items, ...before.items, ...after.items];
}

const isWithin = (due: DueKey, at: number, within: number): boolean => Math.abs(dueAtOf(due) - at) <= within;

function view({ context, head, at, now }: Case, dueAt: number | undefined, answer: Answer): ExplanationView {
  const searches = searchesOf(context);
  const after = Math.max(at, now, (head.pausedUntil ?? 0) - 1);
  const next = head.status === 'active' ? nextOrSearching(head.schedule, after, searches) : undefined;
  const apart = dueAt === undefined ? 0 : Math.abs(dueAt - at);
  return {
    ...answer,
    because:
      apart === 0
        ? answer.because
        : `${withoutStop(answer.because)} (nearest to ${iso(at)}, ${lengthText(apart)} away).`,
    ...(dueAt !== undefined && { dueAt: iso(dueAt) }),
    ...(typeof next === 'number' && { next: iso(next) }),
    ...(next === 'searching' && { searchingSince: iso(searchingSince(head, now, searches)) }),
  };
}
