// The machine's clock, corrected by a reference clock. The reference is the `Date` header of the responses of DynamoDB and SQS.
// An embedded server has no such reference. There the machine's clock is compared with the monotonic counter, so that
// it cannot jump (docs/decisions/0028).
import type { Clock } from '../../scheduling/context.ts';
import { Offset } from './clock-offset.ts';

/** A `Date` header has whole seconds, rounded down. */
const RESOLUTION_MS = 1_000;
/** A server may cache its `Date` header for a second. */
const MAX_LAG_MS = 1_000;
/** The clocks of two servers differ by at most 50 ms. */
const SERVERS_APART_MS = 50;
/** Without a reference, steps of the machine's clock up to this size are followed at once. */
const STEP_MS = 250;
const LOOK_EVERY_MS = 1_000;
/** `uptime` has whole seconds on some platforms. */
const UPTIME_RESOLUTION_MS = 1_000;

export interface Machine extends Clock {
  /** Milliseconds since the machine was booted, including the time in suspend. */
  uptime(): number;
}

export interface ReferenceClock extends Clock {
  /** How far the machine's clock is ahead of the nearest time that the reference allows. Negative if it is behind. */
  offBy(): number;
  /** Reports a response: its `Date` header, and the times of request and response by the monotonic counter. */
  heard(date: string | undefined, sent: number, received: number): void;
  /** Drops all observations, because the counter may have stopped, as in a frozen Lambda. */
  forget(): void;
}

/** `answers`: the reference is the responses given to `heard`. `own`: it is the machine's clock, and `heard` is ignored. */
export function createReferenceClock(machine: Machine, reference: 'answers' | 'own'): ReferenceClock {
  const offset = new Offset(reference === 'answers' ? MAX_LAG_MS : 0);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let uptimeAhead = machine.uptime() - machine.monotonic();
  let parsed = { text: '', time: Number.NaN };
  /** The offset of the machine's clock at the last response. After `forget` it applies until the next response. */
  let assumedOff = 0;

  /** The machine's time, and how far it is outside the bounds of the reference. */
  function look(): { shown: number; off: number } {
    const at = machine.monotonic();
    const shown = machine.now();
    if (at - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = at;
      follow(at, shown);
    }
    return { shown, off: offset.isKnown ? outside(at, shown) : assumedOff };
  }

  function outside(at: number, shown: number): number {
    const { low, high } = offset.range(at);
    return Math.max(0, shown - at - high) + Math.min(0, shown - at - low);
  }

  function follow(at: number, shown: number): void {
    // on Linux CLOCK_MONOTONIC stops while the machine is suspended, and the uptime does not
    const slept = machine.uptime() - at - uptimeAhead;
    uptimeAhead += slept;
    if (slept > 2 * UPTIME_RESOLUTION_MS && outside(at, shown) !== 0)
      offset.shift(slept, UPTIME_RESOLUTION_MS);
    if (reference === 'own') offset.observe(at, shown - at - STEP_MS, shown - at + STEP_MS);
  }

  return {
    now() {
      const { shown, off } = look();
      return off === 0 ? shown : Math.floor(shown - off);
    },
    offBy: () => Math.round(look().off),
    monotonic: machine.monotonic,
    sleep: machine.sleep,
    heard(date, sent, received) {
      if (reference === 'own' || date === undefined) return;
      if (date !== parsed.text) parsed = { text: date, time: Date.parse(date) };
      const { time } = parsed;
      if (Number.isNaN(time)) return;
      const low = time - received - SERVERS_APART_MS;
      offset.observe(received, low, time + RESOLUTION_MS - sent + SERVERS_APART_MS);
      assumedOff = outside(received, machine.now());
    },
    forget() {
      offset.forget();
      uptimeAhead = machine.uptime() - machine.monotonic();
    },
  };
}
