// The geometry of the run strip.
import { describe, expect, it } from 'vitest';
import {
  LATE_MS,
  type Run,
  runStrip,
  runText,
  STEP,
  stripSentence,
} from '../../../console/marks/run-strip-geometry.ts';

const run = (n: number, more: Partial<Run> = {}): Run => ({
  id: `e${n}`,
  status: 'succeeded',
  dueAt: new Date(n * 60_000).toISOString(),
  latenessMs: 3,
  durationMs: 100,
  ...more,
});
/** Newest first. */
const runs = (count: number): Run[] => Array.from({ length: count }, (_, i) => run(count - i));

describe('the run strip', () => {
  it('stays within its width and height, however many runs it gets', () => {
    for (const [count, slots, height] of [
      [0, 20, 24],
      [3, 20, 24],
      [20, 20, 24],
      [250, 100, 48],
    ] as const) {
      const long = runs(count).map((r, i) => ({ ...r, durationMs: i * i * 1000, latenessMs: 99_999 }));
      const strip = runStrip(long, slots, height);
      expect(strip.marks).toHaveLength(Math.min(count, slots));
      for (const mark of strip.marks) {
        expect(mark.x).toBeGreaterThanOrEqual(0);
        expect(mark.x + mark.width).toBeLessThanOrEqual(strip.width);
        // The cap of a late run is 3 above its bar.
        expect(mark.y - (mark.cap ? 3 : 0)).toBeGreaterThanOrEqual(0);
        expect(mark.y + mark.height).toBeLessThanOrEqual(strip.baseline);
      }
    }
  });

  it('has the newest run at the right end', () => {
    const { marks, width } = runStrip(runs(3), 20, 24);
    expect(marks[0]?.run.id).toBe('e3');
    expect(marks[0]?.x).toBe(width - STEP + 1);
    expect(marks[1]?.x).toBe(width - 2 * STEP + 1);
  });

  it('draws a longer run higher, and the longest over the whole height', () => {
    const { marks, baseline } = runStrip(
      [run(3, { durationMs: 1 }), run(2, { durationMs: 500 }), run(1, { durationMs: 25_000 })],
      20,
      24,
    );
    const [short = 0, middle = 0, longest = 0] = marks.map(({ height }) => height);
    expect(short).toBeLessThan(middle);
    expect(middle).toBeLessThan(longest);
    expect(longest).toBe(baseline - 3);
  });

  it('draws runs without a duration, and runs of 0 ms, with a height that can be seen', () => {
    const { marks } = runStrip([run(2, { durationMs: undefined }), run(1, { durationMs: 0 })], 20, 24);
    for (const { height } of marks) expect(height).toBe(3);
  });

  it('distinguishes every status by its shape and its signs, without colour', () => {
    const statuses = [
      'running',
      'retrying',
      'succeeded',
      'failed',
      'skipped',
      'cancelled',
      'queued',
    ] as const;
    const { marks } = runStrip(
      statuses.map((status, i) => run(i, { status })),
      20,
      24,
    );
    const looks = marks.map(({ shape, cross }) => `${shape} ${cross}`);
    expect(new Set(looks).size).toBe(statuses.length);
  });

  it('marks a run as late only above the threshold', () => {
    const { marks } = runStrip(
      [
        run(3, { latenessMs: LATE_MS }),
        run(2, { latenessMs: LATE_MS + 1 }),
        run(1, { latenessMs: undefined }),
      ],
      20,
      24,
    );
    expect(marks.map(({ cap, tone }) => [cap, tone])).toEqual([
      [false, 'good'],
      [true, 'late'],
      [false, 'good'],
    ]);
  });

  it('keeps the tone of a failure that was late', () => {
    const [mark] = runStrip([run(1, { status: 'failed', latenessMs: 60_000 })], 20, 24).marks;
    expect(mark).toMatchObject({ tone: 'bad', cap: true, cross: true });
  });
});

describe('the sentence of the run strip', () => {
  it('counts by status, late runs, and names the longest', () => {
    expect(
      stripSentence([
        run(4, { durationMs: 25_038 }),
        run(3, { latenessMs: 5000 }),
        run(2, { status: 'failed' }),
        run(1),
      ]),
    ).toBe('4 runs: 3 succeeded, 1 failed; 1 late; the longest took 25 s');
  });

  it('says that there are no runs', () => {
    expect(stripSentence([])).toBe('No runs yet');
  });

  it('names one run in the singular, and leaves out what is not known', () => {
    expect(stripSentence([run(1, { status: 'running', durationMs: undefined })])).toBe('1 run: 1 running');
    expect(runText(run(1, { status: 'skipped', durationMs: undefined, latenessMs: undefined }))).toBe(
      'skipped, due 1970-01-01T00:01:00.000Z',
    );
  });
});
