// The preview of a schedule that is being typed, computed in the page by the engine of the scheduler.
import { type FieldError, InvalidInput } from '../../../../src/domain/errors.ts';
import { describeSchedule } from '../../../../src/domain/schedule/describe.ts';
import { normalizeSchedule } from '../../../../src/domain/schedule/normalize.ts';
import { occurrencesAfter } from '../../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';
import { type ScheduleWarning, scheduleWarnings } from '../../../../src/domain/schedule/warnings.ts';
import { checkDraft } from './check-draft.ts';
import type { ScheduleDraft } from './schedule-draft.ts';

export interface SchedulePreview {
  readonly schedule: Schedule;
  /** "At 09:00 on Mondays to Fridays, Europe/Paris time". */
  readonly sentence: string;
  readonly warnings: readonly ScheduleWarning[];
  /** The next due times, at most `MAX_TIMES`. */
  readonly times: readonly number[];
}

export interface InvalidSchedule {
  readonly errors: readonly FieldError[];
}

export const MAX_TIMES = 10;

export const isInvalid = (preview: SchedulePreview | InvalidSchedule): preview is InvalidSchedule =>
  'errors' in preview;

/** A job without a schedule runs at `now`. */
export function previewDraft(
  draft: ScheduleDraft | undefined,
  now: number,
): SchedulePreview | InvalidSchedule {
  if (draft === undefined) {
    const schedule: Schedule = { at: new Date(now).toISOString() };
    return { schedule, sentence: 'Once, as soon as it is created', warnings: [], times: [now] };
  }
  const checked = checkDraft(draft);
  if ('errors' in checked) return checked;
  try {
    const schedule = normalizeSchedule(checked.schedule, now);
    const times: number[] = [];
    for (const due of occurrencesAfter(schedule, now - 1)) if (times.push(due) === MAX_TIMES) break;
    return {
      schedule,
      sentence: sentenceOf(draft, schedule),
      warnings: scheduleWarnings(schedule, now),
      times,
    };
  } catch (error) {
    if (error instanceof InvalidInput) return { errors: error.errors };
    throw error;
  }
}

/** The start of a rate without `startAt` moves with each keystroke, so the sentence does not name it. */
function sentenceOf(draft: ScheduleDraft, schedule: Schedule): string {
  const sentence = describeSchedule(schedule);
  if (draft.in !== undefined) return `Once, ${draft.in} after it is created`;
  return 'every' in schedule && draft.startAt === undefined
    ? sentence.replace(`counted from ${schedule.startAt}`, 'counted from its creation')
    : sentence;
}
