// The geometry of the waterfall, and of a time scale with breaks.
import { describe, expect, it } from 'vitest';
import { brokenScale } from '../../../console/marks/broken-scale.ts';
import {
  fromZero,
  type WaterfallExecution,
  waterfall,
  waterfallSentence,
} from '../../../console/marks/waterfall-geometry.ts';

const DUE = Date.parse('2026-12-01T10:00:00Z');
const at = (ms: number): string => new Date(DUE + ms).toISOString();
const BOX = { left: 80, right: 640 };

const execution = (more: Partial<WaterfallExecution> = {}): WaterfallExecution => ({
  status: 'succeeded',
  dueAt: at(0),
  timeline: {
    dueAt: at(0),
    enqueuedAt: at(-298_000),
    receivedAt: at(-690),
    startedAt: at(4),
    finishedAt: at(217),
  },
  attempts: [{ attempt: 1, workerId: 'w', receivedAt: at(-690), startedAt: at(4), finishedAt: at(217) }],
  ...more,
});

describe('a scale with breaks', () => {
  const never = () => false;

  it('is linear if no wait is longer than the rest', () => {
    const { x, breaks } = brokenScale([0, 100, 200, 400], () => true, 0, 400);
    expect(breaks).toEqual([]);
    expect([0, 100, 150, 400].map(x)).toEqual([0, 100, 150, 400]);
  });

  it('breaks a wait that is longer than everything else', () => {
    const { x, breaks } = brokenScale([0, 100, 100_000, 100_100], (from) => from === 100, 0, 1000);
    expect(breaks.map(({ from, to }) => [from, to])).toEqual([[100, 100_000]]);
    expect(x(100) - x(0)).toBeCloseTo(460);
    expect(x(100_000) - x(100)).toBeCloseTo(80);
  });

  it('never breaks a stretch in which something runs', () => {
    expect(brokenScale([0, 1, 1_000_000], never, 0, 100).breaks).toEqual([]);
  });

  it('is monotonic and stays within its ends for any instants', () => {
    for (const instants of [[5], [5, 5], [0, 1], [3, 1, 2], [0, 10 ** 12, 10 ** 12 + 1, 2 * 10 ** 12]]) {
      const { x } = brokenScale(instants, () => true, 10, 90);
      const positions = [...instants].sort((a, b) => a - b).map(x);
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      for (const position of positions) expect(position >= 10 && position <= 90).toBe(true);
    }
  });
});

describe('the waterfall', () => {
  it('has queued, held, late and attempt for an execution that was held until it was due', () => {
    const picture = waterfall(execution(), DUE + 1000, BOX);
    expect(picture.bars.map(({ label, from, to }) => [label, from - DUE, to - DUE])).toEqual([
      ['queued', -298_000, -690],
      ['held', -690, 4],
      ['late', 0, 4],
      ['attempt 1', 4, 217],
    ]);
    expect(picture.rows).toBe(4);
    // The wait in the queue only: a break across the held bar would hide its length.
    expect(picture.scale.breaks.map(({ from, to }) => [from - DUE, to - DUE])).toEqual([[-298_000, -690]]);
    expect(waterfallSentence(picture)).toBe(
      'Waterfall of the execution: queued took 5 min, held took 694 ms, started 4 ms late, attempt 1 took 213 ms',
    );
  });

  it('stacks attempts and breaks the back-off between them', () => {
    const picture = waterfall(
      execution({
        status: 'failed',
        attempts: [
          {
            attempt: 1,
            workerId: 'w',
            startedAt: at(2),
            finishedAt: at(50),
            error: { name: 'E', message: 'm' },
          },
          {
            attempt: 2,
            workerId: 'w',
            startedAt: at(900_000),
            finishedAt: at(900_040),
            error: { name: 'E', message: 'm' },
          },
        ],
      }),
      DUE,
      BOX,
    );
    const attempts = picture.bars.filter(({ kind }) => kind === 'attempt');
    const backoff = picture.bars.find(({ kind }) => kind === 'backoff');
    expect(attempts.map(({ tone }) => tone)).toEqual(['bad', 'bad']);
    expect(backoff?.row).toBe(attempts[0]?.row);
    expect(picture.scale.breaks.some(({ from }) => from === DUE + 50)).toBe(true);
  });

  it('lets the last bar of a running execution end at the present', () => {
    const running = execution({
      status: 'running',
      attempts: [{ attempt: 1, workerId: 'w', startedAt: at(4) }],
    });
    const bar = waterfall(running, DUE + 5004, BOX).bars.at(-1);
    expect(bar).toMatchObject({ ended: false, text: '5 s', tone: 'active' });
    // The clock of the browser may be behind that of the worker.
    expect(waterfall(running, DUE - 60_000, BOX).bars.at(-1)?.text).toBe('0 ms');
  });

  it('shows the wait for the next attempt', () => {
    const retrying = execution({
      status: 'retrying',
      nextAttemptAt: at(4000),
      attempts: [
        {
          attempt: 1,
          workerId: 'w',
          startedAt: at(4),
          finishedAt: at(10),
          error: { name: 'E', message: '' },
        },
      ],
    });
    expect(waterfall(retrying, DUE, BOX).bars.at(-1)).toMatchObject({ kind: 'backoff', to: DUE + 4000 });
  });

  it('leaves out what is not known: attempts before the recorded five, times of earlier versions', () => {
    const later = execution({
      attempts: [{ attempt: 7, workerId: 'w', startedAt: at(60_000), finishedAt: at(60_100) }],
    });
    expect(waterfall(later, DUE, BOX).bars.map(({ label }) => label)).toEqual(['attempt 7']);
    const { attempts: _, ...old } = execution();
    expect(waterfall(old, DUE, BOX).bars.at(-1)?.label).toBe('attempt 1');
    const waiting = execution({ status: 'scheduled', attempts: undefined, timeline: { dueAt: at(0) } });
    expect(waterfall(waiting, DUE, BOX).bars).toEqual([]);
  });

  it('counts from the fire time of a job with jitter', () => {
    const { zero, bars } = waterfall(execution({ fireAt: at(3) }), DUE, BOX);
    expect(zero).toBe(DUE + 3);
    expect(bars.find(({ kind }) => kind === 'late')?.text).toBe('1 ms');
    expect([fromZero(DUE - 5, DUE), fromZero(DUE + 5, DUE)]).toEqual(['−5 ms', '+5 ms']);
  });
});
