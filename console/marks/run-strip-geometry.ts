// The geometry of the run strip: one bar per run, newest on the right, as high as the run was long.
import type { ExecutionStatus } from '../../src/client/types.ts';
import { lengthText } from '../../src/domain/length-text.ts';
import { px, rootPosition } from './scales.ts';

export interface Run {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly dueAt: string;
  readonly latenessMs?: number | undefined;
  readonly durationMs?: number | undefined;
}

/** A run that starts later than this after its fire time is drawn as late. */
export const LATE_MS = 1000;

/** Statuses differ in shape and in tone, so that the strip can be read without colours. */
export type StripShape = 'solid' | 'outline' | 'split' | 'dash' | 'square' | 'dot';
export type StripTone = 'good' | 'late' | 'bad' | 'active' | 'quiet';

export interface StripMark {
  readonly run: Run;
  readonly shape: StripShape;
  readonly tone: StripTone;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** A late run has a cap above its bar. */
  readonly cap: boolean;
  /** A failed run has a cross below the base line. */
  readonly cross: boolean;
}

const SHAPES: Record<ExecutionStatus, StripShape> = {
  scheduled: 'dot',
  queued: 'dot',
  running: 'outline',
  retrying: 'split',
  succeeded: 'solid',
  failed: 'solid',
  skipped: 'dash',
  cancelled: 'square',
};

const TONES: Record<ExecutionStatus, StripTone> = {
  scheduled: 'quiet',
  queued: 'quiet',
  running: 'active',
  retrying: 'late',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'quiet',
  cancelled: 'quiet',
};

export const STEP = 8;
const BAR = 6;
const CAP = 3;
const CROSS = 6;
const SHORTEST = 3;

export interface StripGeometry {
  readonly width: number;
  readonly height: number;
  readonly baseline: number;
  readonly marks: readonly StripMark[];
}

/** `runs` are newest first, as the API lists them. Those beyond `slots` are left out. */
export function runStrip(runs: readonly Run[], slots: number, height: number): StripGeometry {
  const shown = runs.slice(0, slots);
  const longest = Math.max(0, ...shown.map(({ durationMs }) => durationMs ?? 0));
  const baseline = height - CROSS;
  const marks = shown.map((run, index) => {
    const late = isLate(run);
    const shape = SHAPES[run.status];
    const tall = px(SHORTEST + rootPosition(run.durationMs ?? 0, longest) * (baseline - CAP - SHORTEST));
    const size = { dash: 2, dot: 3, square: 5 } as Partial<Record<StripShape, number>>;
    const barHeight = run.status === 'running' ? baseline - CAP : (size[shape] ?? tall);
    return {
      run,
      shape,
      tone: late && run.status === 'succeeded' ? ('late' as const) : TONES[run.status],
      x: (slots - 1 - index) * STEP + (STEP - BAR) / 2,
      y: px(baseline - barHeight),
      width: BAR,
      height: barHeight,
      cap: late,
      cross: run.status === 'failed',
    };
  });
  return { width: slots * STEP, height, baseline, marks };
}

export const isLate = ({ latenessMs }: Pick<Run, 'latenessMs'>): boolean =>
  latenessMs !== undefined && latenessMs > LATE_MS;

/** `20 runs: 17 succeeded, 2 failed, 1 skipped; 3 late; the longest took 25 s`. */
export function stripSentence(runs: readonly Run[]): string {
  if (runs.length === 0) return 'No runs yet';
  const counts = new Map<string, number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  const byStatus = [...counts].sort(([, a], [, b]) => b - a).map(([status, count]) => `${count} ${status}`);
  const late = runs.filter(isLate).length;
  const longest = Math.max(0, ...runs.map(({ durationMs }) => durationMs ?? 0));
  return [
    `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}: ${byStatus.join(', ')}`,
    ...(late > 0 ? [`${late} late`] : []),
    ...(longest > 0 ? [`the longest took ${lengthText(longest)}`] : []),
  ].join('; ');
}

/** `succeeded, due 2026-11-18T02:30:00.000Z, 12 ms late, took 213 ms`. */
export const runText = ({ status, dueAt, latenessMs, durationMs }: Run): string =>
  [
    status,
    `due ${dueAt}`,
    ...(latenessMs !== undefined ? [`${lengthText(latenessMs)} late`] : []),
    ...(durationMs !== undefined ? [`took ${lengthText(durationMs)}`] : []),
  ].join(', ');
