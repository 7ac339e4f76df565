// The geometry of the waterfall of one execution: queued, held and each attempt, with the due time as the zero line.
import type { Execution } from '../../src/client/types.ts';
import { lengthText } from '../../src/domain/length-text.ts';
import { type BrokenScale, brokenScale } from './broken-scale.ts';

export type WaterfallExecution = Pick<Execution, 'status' | 'dueAt' | 'timeline' | 'attempts'> &
  Partial<Pick<Execution, 'fireAt' | 'nextAttemptAt' | 'latenessMs' | 'durationMs'>>;

export interface WaterfallBar {
  /** `queued`, `held`, `late`, `attempt 2`, `back-off`. */
  readonly label: string;
  readonly kind: 'queued' | 'held' | 'late' | 'attempt' | 'backoff';
  readonly tone: 'quiet' | 'late' | 'good' | 'bad' | 'active';
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** False while it lasts: `to` is the present. */
  readonly ended: boolean;
  readonly row: number;
  readonly text: string;
  /** The length of the attempt before a back-off, which stands in the same row. */
  readonly attemptText?: string;
}

export interface Waterfall {
  /** The instant that the picture counts from: due, or the fire time if the job has jitter. */
  readonly zero: number;
  readonly bars: readonly WaterfallBar[];
  readonly rows: number;
  readonly scale: BrokenScale;
}

export function waterfall(
  execution: WaterfallExecution,
  now: number,
  box: { readonly left: number; readonly right: number },
): Waterfall {
  const due = Date.parse(execution.dueAt);
  const zero = execution.fireAt === undefined ? due : Date.parse(execution.fireAt);
  const bars = barsOf(execution, zero, now);
  const instants = [zero, ...bars.flatMap(({ from, to }) => [from, to])];
  // A break crosses the whole picture, so only waits in the queue and between attempts may be broken.
  const busy = bars.filter(({ kind }) => kind !== 'queued' && kind !== 'backoff');
  const isIdle = (from: number, to: number): boolean => !busy.some((bar) => bar.from < to && from < bar.to);
  return {
    zero,
    bars,
    rows: 1 + Math.max(-1, ...bars.map(({ row }) => row)),
    scale: brokenScale(instants, isIdle, box.left, box.right),
  };
}

function barsOf(execution: WaterfallExecution, zero: number, now: number): WaterfallBar[] {
  const { timeline } = execution;
  const attempts = attemptsOf(execution);
  const [first] = attempts;
  const bars: Omit<WaterfallBar, 'row'>[] = [];
  const add = (
    bar: Pick<WaterfallBar, 'label' | 'kind' | 'tone'>,
    from: number,
    to: number | undefined,
  ): void => {
    const end = to ?? Math.max(now, from);
    bars.push({ ...bar, from, to: end, ended: to !== undefined, text: lengthText(end - from) });
  };
  const enqueued = timeOf(timeline.enqueuedAt);
  const received = first?.attempt === 1 ? (first.received ?? timeOf(timeline.receivedAt)) : undefined;
  const started = first?.attempt === 1 ? first.from : undefined;
  if (enqueued !== undefined && (first === undefined || received !== undefined)) {
    add({ label: 'queued', kind: 'queued', tone: 'quiet' }, enqueued, received);
  }
  if (received !== undefined && started !== undefined && received < started) {
    add({ label: 'held', kind: 'held', tone: 'quiet' }, received, started);
  }
  if (started !== undefined && started > zero) {
    add({ label: 'late', kind: 'late', tone: 'late' }, zero, started);
  }
  attempts.forEach((attempt, index) => {
    const tone = attempt.to === undefined ? 'active' : attempt.failed ? 'bad' : 'good';
    add({ label: `attempt ${attempt.attempt}`, kind: 'attempt', tone }, attempt.from, attempt.to);
    const next = attempts[index + 1]?.from ?? timeOf(execution.nextAttemptAt);
    if (attempt.to !== undefined && next !== undefined && next > attempt.to) {
      add({ label: 'back-off', kind: 'backoff', tone: 'quiet' }, attempt.to, next);
    }
  });
  return withRows(bars);
}

/** Each bar has a row of its own, but a back-off continues in the row of its attempt. */
function withRows(bars: readonly Omit<WaterfallBar, 'row'>[]): WaterfallBar[] {
  let row = -1;
  return bars.map((bar, index) => {
    if (bar.kind === 'backoff') return { ...bar, row, attemptText: bars[index - 1]?.text ?? '' };
    row += 1;
    return { ...bar, row };
  });
}

interface Attempt {
  readonly attempt: number;
  readonly received: number | undefined;
  readonly from: number;
  readonly to: number | undefined;
  readonly failed: boolean;
}

/** The recorded attempts. An execution of an earlier version of the service has only the times of the last one. */
function attemptsOf({ attempts, timeline, status }: WaterfallExecution): Attempt[] {
  if (attempts !== undefined) {
    return attempts.map(({ attempt, receivedAt, startedAt, finishedAt, error }) => ({
      attempt,
      received: timeOf(receivedAt),
      from: Date.parse(startedAt),
      to: timeOf(finishedAt),
      failed: error !== undefined,
    }));
  }
  if (timeline.startedAt === undefined) return [];
  return [
    {
      attempt: 1,
      received: timeOf(timeline.receivedAt),
      from: Date.parse(timeline.startedAt),
      to: timeOf(timeline.finishedAt),
      failed: status === 'failed',
    },
  ];
}

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

/** `+4 ms` after the zero line, `−298 s` before it. */
export const fromZero = (instant: number, zero: number): string =>
  `${instant < zero ? '−' : '+'}${lengthText(Math.abs(instant - zero))}`;

export function waterfallSentence({ bars, zero }: Waterfall): string {
  if (bars.length === 0) return 'The execution has not been queued yet';
  const parts = bars.map(({ label, from, to, ended }) =>
    label === 'late'
      ? `started ${lengthText(to - from)} late`
      : `${label} ${ended ? `took ${lengthText(to - from)}` : `since ${lengthText(to - from)}`}`,
  );
  const first = bars.find(({ kind }) => kind === 'attempt');
  const punctual = first !== undefined && first.from <= zero ? ['started on time'] : [];
  return `Waterfall of the execution: ${[...parts, ...punctual].join(', ')}`;
}
