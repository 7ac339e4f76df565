// The forecast of the coming day, and the jitter that it proposes.
import { expect, it } from 'vitest';
import { levelOf } from '../../../console/marks/scales.ts';
import {
  type Forecast,
  forecastSteps,
  jitterOf,
  type PlannedJob,
  runsInCell,
  spanOf,
} from '../../../console/screens/forecast/compute-forecast.ts';
import { levelText } from '../../../console/screens/forecast/level-text.ts';
import { busiestSecond, proposedJitter } from '../../../console/screens/forecast/propose-jitter.ts';

const NOW = Date.parse('2026-11-18T12:34:56.000Z');
const CELL = 5 * 60_000;

const job = (id: string, schedule: object): PlannedJob => ({ id, name: id, version: 1, schedule });
const cron = (id: string, text: string, more: object = {}) =>
  job(id, { cron: text, timezone: 'UTC', ...more });

function forecastOf(...jobs: PlannedJob[]): { forecast: Forecast; steps: number } {
  const steps = forecastSteps(jobs, spanOf(NOW), NOW);
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return { forecast: step.value, steps: count };
  }
}

const cellAt = ({ span }: Forecast, text: string): number =>
  Math.floor((Date.parse(text) - span.from) / span.cellMs);

it('begins with the hour of now, and leaves out what has passed', () => {
  const { forecast } = forecastOf(cron('quarter', '*/15 * * * *'));
  expect(new Date(forecast.span.from).toISOString()).toBe('2026-11-18T12:00:00.000Z');
  expect(forecast.counts).toHaveLength(288);
  expect(forecast.counts.reduce((sum, count) => sum + count)).toBe(93);
  expect(forecast.counts[cellAt(forecast, '2026-11-18T12:30:00Z')]).toBe(0);
  expect(forecast.counts[cellAt(forecast, '2026-11-18T12:45:00Z')]).toBe(1);
});

it('counts the runs of each job in a cell, with jitter as the scheduler applies it', () => {
  const spread = cron('spread', '0 15 * * *', { jitterSeconds: 3600 });
  const { forecast } = forecastOf(cron('a', '0 15 * * *'), cron('b', '0,2 15 * * *'), spread);
  const at = cellAt(forecast, '2026-11-18T15:00:00Z');
  expect([...(forecast.jobs[at] ?? [])].map(([{ id }, runs]) => [id, runs]).slice(0, 2)).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  expect(forecast.counts.reduce((sum, count) => sum + count)).toBe(4);
  const cell = forecast.jobs.findIndex((jobs) => jobs.has(spread));
  const from = forecast.span.from + cell * CELL;
  expect(runsInCell([spread], from, from + CELL, NOW)).toHaveLength(1);
});

it('has jobs of less than a minute as a base line, the most frequent first', () => {
  const every = (id: string, length: string) =>
    job(id, { every: length, startAt: '2026-11-01T00:00:00.000Z' });
  const { forecast } = forecastOf(every('slow', 'PT30S'), every('fast', 'PT1S'), every('minute', 'PT1M'));
  expect(forecast.frequent.map(({ job: { id }, perCell }) => [id, perCell])).toEqual([
    ['fast', 300],
    ['slow', 10],
  ]);
  expect(forecast.counts[100]).toBe(5);
});

it('does not take a job that ends soon for a frequent one', () => {
  const { forecast } = forecastOf(
    job('ends', { every: 'PT1S', startAt: '2026-11-01T00:00:00.000Z', endAt: '2026-11-18T12:35:00.000Z' }),
  );
  expect(forecast.frequent).toEqual([]);
  expect(forecast.counts.reduce((sum, count) => sum + count)).toBe(5);
});

it('counts one-time jobs, and names a schedule that it cannot compute', () => {
  const { forecast } = forecastOf(
    job('once', { at: '2026-11-18T20:00:00.000Z' }),
    job('later', { at: '2026-12-18T20:00:00.000Z' }),
    job('new', { lunar: 'full' }),
  );
  expect(forecast.counts[cellAt(forecast, '2026-11-18T20:00:00Z')]).toBe(1);
  expect(forecast.unknown.map(({ id }) => id)).toEqual(['new']);
});

it('pauses within a job that runs often, so that no step is long', () => {
  expect(forecastOf(cron('minute', '* * * * *')).steps).toBeGreaterThan(20);
});

it('proposes jitter to jobs that start in the same second, at most a tenth of the time between runs', () => {
  const daily = cron('daily', '0 15 * * *');
  const often = cron('often', '*/2 * * * *');
  const alone = cron('alone', '1 15 * * *');
  const spread = cron('spread', '0 15 * * *', { jitterSeconds: 30 });
  const once = job('once', { at: '2026-11-18T15:00:00.000Z' });
  const from = Date.parse('2026-11-18T15:00:00.000Z');
  const runs = runsInCell([daily, often, alone, spread, once], from, from + CELL, NOW);
  expect(busiestSecond(runs)).toEqual({ at: from, runs: 3 });
  expect([daily, often, alone, spread, once].map((one) => proposedJitter(one, runs))).toEqual([
    300,
    12,
    undefined,
    undefined,
    undefined,
  ]);
  expect(jitterOf(spread.schedule)).toBe(30);
  expect(busiestSecond([])).toBeUndefined();
});

it('has a legend that agrees with the levels of the map', () => {
  for (const most of [1, 2, 7, 40, 1000]) {
    for (let count = 0; count <= most; count++) {
      const [from, to = from] = (levelText(levelOf(count, most), most) ?? '').split('–').map(Number);
      expect(
        from !== undefined && to !== undefined && from <= count && count <= to,
        `${count} of ${most}`,
      ).toBe(true);
    }
  }
});
