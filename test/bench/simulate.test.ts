import { describe, expect, it } from 'vitest';
import { findings } from '../../bench/model/findings.ts';
import { readOptions } from '../../bench/model/options.ts';
import { figure } from '../../bench/model/parameters.ts';
import { type SimulationResult, simulate } from '../../bench/model/simulate.ts';

const run = (...flags: string[]): SimulationResult => simulate(readOptions(flags).options);
const flags = (text: string): string[] => text.split(' ');
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, n) => total + n, 0);
/** Throttled writes of executions. The bursts of watchers on the timetable do not count. */
const throttledOf = ({ tables: { jobs, executions, executionsByUser } }: SimulationResult): number =>
  jobs.throttled + executions.throttled + executionsByUser.throttled;

const LOADS = {
  easy: '--rate 300 --duration 10',
  'without group commit': '--rate 300 --duration 10 --group-commit off',
  'too few workers': '--rate 300 --duration 10 --workers 1',
  'too few places': '--rate 300 --duration 10 --concurrency 5',
  'too few partitions': '--rate 3000 --duration 10 --warm 1000',
  'one large tenant': '--rate 6000 --duration 10 --tenant-share 0.9',
  'long runs': '--rate 100 --duration 10 --task-ms 5000',
  'all at the minute': '--rate 100 --duration 70 --due minute',
};

describe.each(Object.entries(LOADS))('%s', (_name, given) => {
  const seen = run(...flags(given));

  it('accounts for every execution that was due', () => {
    expect(sum(seen.stages)).toBe(seen.executions);
    const started = seen.workers.late.filter((ms) => !Number.isNaN(ms)).length;
    expect(started + seen.lateness.notStarted).toBe(seen.executions);
    const { running, finishing, lookingForNext, done, gaveUp } = seen.stages;
    expect(started).toBe(running + finishing + lookingForNext + done + gaveUp);
  });

  it('opens a row with an entry in its index once, takes a lock for each start, and writes each end', () => {
    const { creates, duration } = readOptions(flags(given)).options;
    const started = seen.executions - seen.lateness.notStarted;
    const ended = seen.stages.lookingForNext + seen.stages.done;
    const created = Math.floor(creates * duration);
    const { jobs, executions, executionsByUser } = seen.tables;
    expect(jobs.given).toBeGreaterThanOrEqual(started);
    // a late claim was given back
    const { opened, reopened, returned } = seen.workers;
    expect(jobs.given).toBeLessThanOrEqual(started + returned + seen.stages.givingBack + 2 * created);
    expect(executionsByUser.given).toBe(opened);
    expect(opened).toBeGreaterThanOrEqual(started);
    const givenBack = executions.given - ended - opened - reopened;
    expect(givenBack).toBeGreaterThanOrEqual(reopened);
    expect(givenBack).toBeLessThanOrEqual(returned);
  });

  it('starts nothing early', () => {
    expect(seen.workers.late.some((ms) => ms < 0)).toBe(false);
  });
});

describe('the model', () => {
  it('gives the same result for the same seed, and another for another seed', () => {
    const resultOf = (seed: number) => {
      const { options } = readOptions(['--rate', '200', '--duration', '5', '--seed', String(seed)]);
      return JSON.stringify(findings(options, simulate(options)));
    };
    expect(resultOf(1)).toBe(resultOf(1));
    expect(resultOf(2)).not.toBe(resultOf(1));
  });

  it('uses the CPU that its calls, receives and deletes add up to', () => {
    const seen = run(...flags('--rate 200 --duration 20 --group-commit off --creates 0 --workers 4'));
    const cpu = seen.workers.calls.busyMs.reduce((total, ms) => total + ms, 0);
    const own = figure('CPU of an execution beside its calls');
    const calls = seen.executions * (6 * figure('CPU of one call') + own + 0.5);
    const requests = seen.workers.queues.requests * figure('CPU of a receive or a delete of ten');
    expect(cpu).toBeCloseTo(calls + requests, 3);
  });

  it('runs executions whose messages were returned because no place was free', () => {
    const seen = run(...flags('--rate 300 --duration 5 --concurrency 5'));
    expect(seen.workers.returned).toBeGreaterThan(0);
    expect(seen.stages.done).toBe(seen.executions);
  });

  it('does not throttle more with more partitions', () => {
    const throttled = [2_000, 4_000, 8_000, 32_000].map((warm) =>
      throttledOf(run(...flags(`--rate 3000 --duration 10 --warm ${warm}`))),
    );
    expect(throttled).toEqual([...throttled].sort((a, b) => b - a));
    expect(throttled[0]).toBeGreaterThan(throttled.at(-1) ?? 0);
  });

  it('has no higher lateness with more workers', () => {
    const p99 = [2, 4, 12, 48].map(
      (workers) => run(...flags(`--rate 1500 --duration 10 --workers ${workers}`)).lateness.p99,
    );
    expect(p99).toEqual([...p99].sort((a, b) => b - a));
    expect(p99[0]).toBeGreaterThan(2 * (p99.at(-1) ?? 0));
  });

  it('writes no more rows of one tenant than its index partitions allow', () => {
    const seen = run(...flags('--rate 8000 --duration 10 --tenants 1 --warm 64000 --workers 200'));
    const { executionsByUser } = seen.tables;
    expect(executionsByUser.throttled).toBeGreaterThan(0);
    // four keys of 1,000 each, for 10 s and the 15 s after them
    expect(executionsByUser.given).toBeLessThanOrEqual(4 * 1_000 * 29);
    expect(
      run(...flags('--rate 3000 --duration 10 --tenants 1 --warm 64000')).tables.executionsByUser.throttled,
    ).toBe(0);
  });

  it('delays all tenants if one tenant exceeds its index partitions', () => {
    const { latenessOfOthers } = run(...flags('--rate 8000 --duration 30 --tenant-share 0.9'));
    // throttled finishes free their places, but their retries use up the CPU of the workers
    expect(latenessOfOthers.p99).toBeGreaterThan(1_000);
  });

  it('reports that the slots of too few shards exceed the memory of a watcher', () => {
    const memoryOf = (shards: number) => {
      const { options } = readOptions(flags(`--rate 10000 --duration 1 --watchers 2 --shards ${shards}`));
      return findings(options, simulate(options)).loads.find((one) => one.resource === 'memory of a watcher');
    };
    expect(memoryOf(4)?.utilisation).toBeGreaterThan(1);
    expect(memoryOf(256)?.utilisation).toBeLessThan(1);
  });

  it('names the first bottleneck and the settings that raise it', () => {
    const { options } = readOptions(flags('--rate 20000 --duration 5 --watchers 1'));
    const { breaksFirst, behindSeconds } = findings(options, simulate(options));
    expect(breaksFirst).toMatchObject({
      resource: 'pass of a watcher',
      raisedBy: expect.stringMatching(/^watchers/),
    });
    expect(behindSeconds).toBeGreaterThan(0);
  });
});
