// The explanation of a time at which the schedule of then had no occurrence.
import { dueKey } from '../../domain/executions/ids.ts';
import { absenceAt } from '../../domain/schedule/absence.ts';
import { describeSchedule } from '../../domain/schedule/describe.ts';
import { DAY } from '../../domain/schedule/duration.ts';
import { occurrenceNear } from '../../domain/schedule/occurrence-near.ts';
import { latestOccurrence, nextOccurrence, unlessEnded } from '../../domain/schedule/occurrences.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import { searchesOf } from '../../scheduling/searches.ts';
import {
  type Answer,
  answer,
  beforeCreation,
  type Case,
  changeEvidence,
  changeText,
  executionEvidence,
  iso,
  jobEvidence,
  TOLERANCE_MS,
} from './case.ts';
import { isScheduleEdit } from './history.ts';

export const explainAbsent = (asked: Case): Answer =>
  beforeCreation(asked, asked.at) ?? explainAbsence(asked) ?? explainEdit(asked) ?? notInSchedule(asked);

/** Clocks, exclusions, startAt and endAt. */
function explainAbsence(asked: Case): Answer | undefined {
  const { head, at, schedule } = asked;
  const absence = absenceAt(schedule, head.jobId, at, TOLERANCE_MS);
  switch (absence?.kind) {
    case 'beforeStart':
      return answer(
        'beforeStart',
        `The schedule starts at ${iso(absence.startAt)}, after ${iso(at)}.`,
        jobEvidence(asked, 'schedule.startAt', absence.startAt),
      );
    case 'afterEnd':
      return answer(
        'afterEnd',
        `The schedule ended at ${iso(absence.endAt)}, before ${iso(at)}.`,
        jobEvidence(asked, 'schedule.endAt', absence.endAt),
      );
    case 'excluded':
      return answer(
        'excluded',
        `schedule.except removes the occurrence of ${iso(absence.due)}: no runs ${absence.exclusion}.`,
        jobEvidence(asked, `schedule.except: ${absence.exclusion}`, absence.due),
      );
    case 'dstGap': {
      const { local, timezone, changedAt, runsAfter } = absence;
      const instead = runsAfter
        ? `, and the job runs at ${iso(changedAt)} instead`
        : ', and the job does not run';
      return answer(
        'dstGap',
        `${local} does not exist in ${timezone}: clocks went forward at ${iso(changedAt)}${instead}.`,
        jobEvidence(asked, `clocks in ${timezone} went forward`, changedAt),
        ...(runsAfter
          ? [executionEvidence(head.jobId, dueKey(changedAt), 'execution after the gap', changedAt)]
          : []),
      );
    }
    default:
      return undefined;
  }
}

/** An edit before `at` has removed the occurrence, or an edit after it has added it. */
function explainEdit(asked: Case): Answer | undefined {
  const { head, at, changes } = asked;
  const has = (schedule: unknown): boolean =>
    schedule !== undefined &&
    occurrenceNear(schedule as Schedule, head.jobId, at, TOLERANCE_MS) !== undefined;
  const edits = changes.filter(isScheduleEdit);
  const removed = edits.find((edit) => Date.parse(edit.at) <= at && has(edit.before?.schedule));
  if (removed)
    return answer(
      'edited',
      `${changeText(removed, 'edited the schedule')}, which had an occurrence at ${iso(at)} before and has none since.`,
      changeEvidence(asked, removed),
    );
  const added = edits.findLast((edit) => Date.parse(edit.at) > at && has(edit.after?.schedule));
  if (added)
    return answer(
      'edited',
      `${changeText(added, 'edited the schedule')}, which had no occurrence at ${iso(at)} before that.`,
      changeEvidence(asked, added),
    );
  return undefined;
}

/** How far back the occurrence before the time is looked for. */
const LOOK_BACK_MS = 366 * DAY;

function notInSchedule(asked: Case): Answer {
  const { at, schedule } = asked;
  const searches = searchesOf(asked.context);
  const known = (search: () => number | undefined) => unlessEnded(search, () => undefined);
  const before = known(() => latestOccurrence(schedule, at - LOOK_BACK_MS, at, searches));
  const after = known(() => nextOccurrence(schedule, at, searches));
  const around = [
    ...(before === undefined ? [] : [{ what: 'occurrence before', time: before }]),
    ...(after === undefined ? [] : [{ what: 'occurrence after', time: after }]),
  ];
  const nearest =
    around.length === 0
      ? ''
      : `; the nearest ${around.length === 1 ? 'is' : 'are'} ${around.map(({ time }) => iso(time)).join(' and ')}`;
  return answer(
    'notInSchedule',
    `The schedule ("${describeSchedule(schedule)}") has no occurrence within ${TOLERANCE_MS / 1000} s of ${iso(at)}${nearest}.`,
    ...around.map(({ what, time }) => jobEvidence(asked, what, time)),
  );
}
