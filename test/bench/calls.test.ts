import { describe, expect, it } from 'vitest';
import { Calendar, TICKS_PER_MS, TICKS_PER_SECOND } from '../../bench/model/calendar.ts';
import { Calls, LOCK, QUERY } from '../../bench/model/calls.ts';
import { Seeded } from '../support/seeded.ts';

const SERVICE_MS = 1;

function calls(
  calendar: Calendar,
  options: { groupCommit?: boolean; answered?: number; executions?: number },
) {
  return new Calls({
    calendar,
    workers: 1,
    executions: options.executions ?? 1,
    groupCommit: options.groupCommit ?? false,
    cpuFactor: 1,
    latency: () => 40,
    answered: options.answered ?? calendar.kind(() => {}),
  });
}

describe('the CPU of a worker', () => {
  it.each([0.3, 0.5, 0.8])('waits as a queue M/D/1 does at a load of %f', (load) => {
    const SECONDS = 200;
    const calendar = new Calendar(SECONDS);
    const cpu = calls(calendar, {});
    const random = new Seeded(1);
    let waited = 0;
    let arrived = 0;
    const arrives = calendar.kind(() => {
      waited += cpu.spend(0, SERVICE_MS) - calendar.now - SERVICE_MS * TICKS_PER_MS;
      arrived++;
    });
    const gap = (SERVICE_MS * TICKS_PER_MS) / load;
    for (let at = 0; at < SECONDS * TICKS_PER_SECOND; at += gap * -Math.log(1 - random.float()))
      calendar.at(at, arrives, 0);
    calendar.run();
    const mean = waited / arrived / TICKS_PER_MS;
    const expected = (SERVICE_MS * load) / (2 * (1 - load));
    expect(mean).toBeGreaterThan(expected * 0.9);
    expect(mean).toBeLessThan(expected * 1.1);
    expect((cpu.busyMs[0] ?? 0) / (SECONDS * 1000)).toBeCloseTo(load, 1);
  });
});

describe('group commit', () => {
  const inOneTurn = (count: number, call: number, groupCommit: boolean) => {
    const calendar = new Calendar(10);
    const answers: number[] = [];
    const answered = calendar.kind((execution) => void answers.push(execution));
    const made = calls(calendar, { groupCommit, answered, executions: count });
    const make = calendar.kind((execution) => made.call(0, call, execution, false));
    for (let e = 0; e < count; e++) calendar.at(100, make, e);
    calendar.run();
    expect(answers.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, e) => e));
    return made;
  };

  it('sends the calls of one turn in batches of 25, and answers each', () => {
    expect(inOneTurn(250, LOCK, true).requests).toBe(10);
    expect(inOneTurn(30, LOCK, true).requests).toBe(2);
  });

  it('takes a fraction of the CPU', () => {
    const alone = inOneTurn(250, LOCK, false).busyMs[0] ?? 0;
    const grouped = inOneTurn(250, LOCK, true).busyMs[0] ?? 0;
    expect(grouped).toBeLessThan(alone / 10);
  });

  it('does not group queries', () => {
    expect(inOneTurn(30, QUERY, true).requests).toBe(30);
  });
});
