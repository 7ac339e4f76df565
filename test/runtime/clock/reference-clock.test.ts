import { beforeEach, describe, expect, it } from 'vitest';
import { createReferenceClock, type ReferenceClock } from '../../../src/runtime/clock/reference-clock.ts';
import { DEFAULT_SETTINGS, isClockRight } from '../../../src/scheduling/context.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Time passes only by `pass`. `wallAhead`: how far the machine's clock is ahead of the true time. */
class FakeMachine {
  trueTime = Date.parse('2026-12-01T12:00:00.345Z');
  counter = 5_000;
  wallAhead = 0;
  slept = 0;
  now = () => this.trueTime + this.wallAhead;
  monotonic = () => this.counter;
  uptime = () => this.counter + this.slept + 77_000;
  sleep = async () => {};

  pass(ms: number): void {
    this.trueTime += ms;
    this.counter += ms;
  }

  /** As on Linux, the monotonic counter stands still. */
  suspend(ms: number): void {
    this.trueTime += ms;
    this.slept += ms;
  }
}

let machine: FakeMachine;
let clock: ReferenceClock;
const isRight = () => isClockRight({ clock, settings: DEFAULT_SETTINGS });

/** A request that takes `ms` each way, to a server whose clock is right. */
function answer(ms = 5): void {
  const sent = machine.counter;
  machine.pass(ms);
  const date = new Date(machine.trueTime).toUTCString();
  machine.pass(ms);
  clock.heard(date, sent, machine.counter);
}

function answersFor(ms: number, every: number): void {
  for (let passed = 0; passed < ms; passed += every) {
    answer();
    machine.pass(every - 10);
  }
}

describe('compared with the Date of responses', () => {
  beforeEach(() => {
    machine = new FakeMachine();
    clock = createReferenceClock(machine, 'answers');
  });

  it('is the clock of the machine, to the millisecond, while that is right', () => {
    for (let i = 0; i < 500; i++) {
      answer(i % 7);
      machine.wallAhead = (i % 40) - 20; // as NTP keeps it
      machine.pass(137);
      expect(clock.now()).toBe(machine.now());
    }
    expect([clock.offBy(), isRight()]).toEqual([0, true]);
  });

  it('stays at the true time when the clock of the machine jumps, before any further response', () => {
    answersFor(10_000, 700);
    for (const jump of [HOUR, -HOUR, 3 * MINUTE]) {
      machine.wallAhead = jump;
      expect(Math.abs(clock.now() - machine.trueTime)).toBeLessThan(2200);
      expect(Math.abs(clock.offBy() - jump)).toBeLessThan(2200);
      expect(isRight()).toBe(false);
      answersFor(5_000, 900);
      expect(isRight()).toBe(false);
      machine.wallAhead = 0;
      expect([clock.now(), isRight()]).toEqual([machine.trueTime, true]);
    }
  });

  it('is corrected by the first response when the clock of the machine is wrong from the start', () => {
    machine.wallAhead = HOUR;
    expect([clock.now(), isRight()]).toEqual([machine.now(), true]);
    answer();
    expect(isRight()).toBe(false);
    expect(Math.abs(clock.now() - machine.trueTime)).toBeLessThan(2200);
  });

  it('is at most 250 ms ahead after some minutes, however little the clock of the machine is wrong', () => {
    for (const ahead of [300, 600, 950, 1900]) {
      machine.wallAhead = ahead;
      answersFor(3 * MINUTE, 770);
      expect(clock.now() - machine.trueTime).toBeLessThan(250);
      expect(clock.now() - machine.trueTime).toBeGreaterThan(-50);
    }
  });

  it('ignores responses without a Date, or with an invalid one', () => {
    machine.wallAhead = HOUR;
    clock.heard(undefined, 1, 2);
    clock.heard('', 1, 2);
    clock.heard('yesterday', 1, 2);
    expect([clock.now(), clock.offBy()]).toEqual([machine.now(), 0]);
  });

  it('follows a machine that was suspended, whose counter stood still', () => {
    answersFor(10_000, 700);
    machine.suspend(HOUR);
    machine.pass(1000);
    expect([clock.now(), isRight()]).toEqual([machine.trueTime, true]);
    answersFor(10_000, 700);
    expect([clock.now(), clock.offBy()]).toEqual([machine.trueTime, 0]);
  });

  it('follows the responses after a minute when the counter stood still unnoticed', () => {
    answersFor(10_000, 700);
    machine.trueTime += HOUR; // a virtual machine that was paused
    expect(isRight()).toBe(false);
    answersFor(62_000, 1000);
    expect([clock.now(), isRight()]).toEqual([machine.trueTime, true]);
  });

  it('assumes the last offset after `forget`, and follows the next response', () => {
    machine.wallAhead = HOUR;
    answer();
    machine.trueTime += 10 * MINUTE; // frozen, with its counter
    clock.forget();
    expect(Math.abs(clock.now() - machine.trueTime)).toBeLessThan(2200);
    machine.wallAhead = 0;
    answer();
    expect([clock.now(), isRight()]).toEqual([machine.trueTime, true]);
    clock.forget();
    expect(clock.now()).toBe(machine.trueTime);
  });

  it.each(['stops', 'goes on'])('is right after a freeze in which the uptime %s', (uptime) => {
    machine.wallAhead = HOUR;
    answer();
    if (uptime === 'stops') machine.trueTime += 10 * MINUTE;
    else machine.suspend(10 * MINUTE);
    clock.forget();
    expect(Math.abs(clock.offBy() - HOUR)).toBeLessThan(2200);
    answer();
    machine.pass(2000);
    expect(Math.abs(clock.now() - machine.trueTime)).toBeLessThan(2200);
  });
});

describe('compared with the monotonic counter, in a process of its own', () => {
  beforeEach(() => {
    machine = new FakeMachine();
    clock = createReferenceClock(machine, 'own');
  });

  const live = (ms: number, then = () => {}) => {
    for (let passed = 0; passed < ms; passed += 500) {
      machine.pass(500);
      clock.now();
      then();
    }
  };

  it('is the clock of the machine while that does not jump, small steps and drift included', () => {
    for (let i = 0; i < 2000; i++) {
      machine.pass(1000);
      machine.wallAhead += 0.3;
      expect(clock.now()).toBe(machine.now());
    }
    machine.wallAhead += 120;
    expect([clock.now(), clock.offBy()]).toEqual([machine.now(), 0]);
  });

  it('does not follow a jump that goes back within a minute', () => {
    for (const jump of [HOUR, -HOUR]) {
      live(10_000);
      machine.wallAhead = jump;
      live(40_000, () => {
        expect(Math.abs(clock.now() - machine.trueTime)).toBeLessThan(300);
        expect(isRight()).toBe(false);
      });
      machine.wallAhead = 0;
      live(1000);
      expect([clock.now(), isRight()]).toEqual([machine.trueTime, true]);
    }
  });

  it('follows a clock that was set for good after a minute', () => {
    live(10_000);
    machine.wallAhead = -HOUR;
    live(62_000);
    expect([clock.now(), isRight()]).toEqual([machine.now(), true]);
  });

  it('follows a machine that was suspended, within a second', () => {
    for (const sleeps of [5_000, HOUR, 20 * HOUR]) {
      live(10_000);
      machine.suspend(sleeps);
      live(1000);
      expect([clock.now(), isRight()]).toEqual([machine.trueTime, true]);
    }
  });

  it('follows a machine that was suspended after a minute if the platform does not report it', () => {
    machine.uptime = () => 0;
    live(10_000);
    machine.suspend(HOUR);
    live(1000);
    expect(isRight()).toBe(false);
    live(62_000);
    expect([clock.now(), isRight()]).toEqual([machine.trueTime, true]);
  });

  it('ignores responses, which come from the same machine', () => {
    live(1000);
    clock.heard(new Date(machine.trueTime + HOUR).toUTCString(), machine.counter, machine.counter);
    expect(clock.now()).toBe(machine.trueTime);
  });
});
