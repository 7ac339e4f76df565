// The effect of an edit on the next 24 hours: which runs stay, which are new, and which no longer start.
import { DAY } from '../../../../src/domain/schedule/duration.ts';
import { nextOccurrence } from '../../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';

/** More runs of one schedule than this are not compared. */
const MAX_COMPARED = 5000;

export interface Effect {
  readonly from: number;
  readonly to: number;
  readonly kept: readonly number[];
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** Whether one of the schedules has more than `MAX_COMPARED` runs. The rest is then left out. */
  readonly isPartial: boolean;
}

export function effectOf(before: Schedule, after: Schedule, now: number): Effect {
  const to = now + DAY;
  const [old, next] = [runsUntil(before, now, to), runsUntil(after, now, to)];
  const isPartial = old.isCut || next.isCut;
  const end = isPartial ? Math.min(old.until, next.until) : to;
  const within = (times: readonly number[]) => times.filter((time) => time < end);
  const [was, is] = [new Set(old.times), new Set(next.times)];
  return {
    from: now,
    to: end,
    kept: within(old.times).filter((time) => is.has(time)),
    added: within(next.times).filter((time) => !was.has(time)),
    removed: within(old.times).filter((time) => !is.has(time)),
    isPartial,
  };
}

function runsUntil(schedule: Schedule, from: number, to: number) {
  const times: number[] = [];
  let due = nextOccurrence(schedule, from - 1);
  while (due !== undefined && due < to) {
    if (times.length === MAX_COMPARED) return { times, until: due, isCut: true };
    times.push(due);
    due = nextOccurrence(schedule, due);
  }
  return { times, until: to, isCut: false };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** "In the next 24 hours: 3 runs stay, 1 is new, 2 no longer start." */
export function effectSentence({ kept, added, removed, isPartial, from, to }: Effect): string {
  const hours = Math.max(1, Math.round((to - from) / 3_600_000));
  const span = isPartial ? `In about the next ${counted(hours, 'hour')}` : 'In the next 24 hours';
  if (added.length + removed.length === 0) {
    return kept.length === 0
      ? `${span}: no run, as before.`
      : `${span}: ${counted(kept.length, 'run')}, as before.`;
  }
  const parts = [
    `${counted(kept.length, 'run')} ${kept.length === 1 ? 'stays' : 'stay'}`,
    `${added.length} ${added.length === 1 ? 'is' : 'are'} new`,
    `${removed.length} no longer ${removed.length === 1 ? 'starts' : 'start'}`,
  ];
  return `${span}: ${parts.join(', ')}.`;
}
