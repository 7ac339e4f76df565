// The faults of a seed. Each kind of fault is absent in many seeds, so that the effects of the others show.
import { DEFAULT_SETTINGS, type Settings } from '../../src/scheduling/context.ts';
import type { Seeded } from '../support/seeded.ts';

/** The probability of each fault, unless the field says otherwise. */
export interface Profile {
  readonly skew: boolean;
  /** A call takes up to half a second. */
  readonly slow: number;
  /** The answer to a worker's read takes half a second to three seconds. */
  readonly slowReads: number;
  /** The answer to a write of a claim takes up to almost a second. */
  readonly slowClaims: number;
  /** A heartbeat takes up to a lease, a checkpoint up to four, and the answer up to a lease. */
  readonly slowBeats: number;
  /** The share of runs that are longer than a heartbeat. No fault. */
  readonly longRuns: number;
  /** The request or the answer of a call takes up to several leases. */
  readonly hang: number;
  /** A call fails without an effect. Of a batch, a part takes effect. */
  readonly fail: number;
  /** A call takes effect, and its response is lost. */
  readonly lost: number;
  /** An eventually consistent read is stale. */
  readonly stale: number;
  readonly messageLost: number;
  readonly messageDoubled: number;
  readonly messageLate: number;
  /** The number of processes that die per virtual minute. So are `stalls` and `drains`. */
  readonly crashes: number;
  /** A process dies after its write has taken effect, before it gets the response. */
  readonly crashAfterWrite: number;
  readonly stalls: number;
  readonly drains: number;
}

export const CALM: Profile = {
  skew: false,
  slow: 0,
  slowReads: 0,
  slowClaims: 0,
  slowBeats: 0,
  longRuns: 0,
  hang: 0,
  fail: 0,
  lost: 0,
  stale: 0,
  messageLost: 0,
  messageDoubled: 0,
  messageLate: 0,
  crashes: 0,
  crashAfterWrite: 0,
  stalls: 0,
  drains: 0,
};

export function randomProfile(random: Seeded): Profile {
  const some = (present: number, low: number, high: number) =>
    random.chance(present) ? low + random.float() * (high - low) : 0;
  return {
    skew: random.chance(0.6),
    slow: some(0.8, 0.1, 0.5),
    slowReads: some(0.3, 0.1, 0.8),
    slowClaims: 0,
    slowBeats: 0,
    longRuns: 0.25,
    hang: some(0.6, 0.01, 0.12),
    fail: some(0.4, 0.005, 0.06),
    lost: some(0.4, 0.005, 0.08),
    stale: some(0.6, 0.05, 0.5),
    messageLost: some(0.5, 0.05, 0.4),
    messageDoubled: some(0.6, 0.1, 0.5),
    messageLate: some(0.5, 0.1, 0.5),
    crashes: some(0.5, 0.2, 1.5),
    crashAfterWrite: some(0.3, 0.01, 0.06),
    stalls: some(0.5, 0.2, 1.5),
    drains: some(0.15, 0.2, 0.6),
  };
}

/** Many messages for few run slots. Decisions about one execution follow each other while their writers are slow. */
export const crowded = (profile: Profile, random: Seeded): Profile => ({
  ...profile,
  hang: 0.05 + random.float() * 0.15,
  messageDoubled: 0.7,
  messageLate: 0.6,
});

/** Most runs need heartbeats, and many of those are slow. */
export const beating = (profile: Profile): Profile => ({
  ...profile,
  skew: true,
  slowBeats: 0.5,
  longRuns: 0.8,
  // a message that waits is replaced by a copy again and again, and each copy would be doubled
  messageDoubled: Math.min(profile.messageDoubled, 0.1),
  crashes: Math.max(profile.crashes, 0.5),
});

/** Most reads of a worker before a start are slow. */
export const slowReading = (profile: Profile, random: Seeded): Profile => ({
  ...profile,
  slowReads: 0.3 + random.float() * 0.6,
  slowClaims: 0.5,
});

/** Machines die and stop, messages are doubled and calls are slow, but the queue loses nothing and the store answers. */
export const outage = (profile: Profile): Profile => ({
  ...profile,
  fail: 0,
  lost: 0,
  messageLost: 0,
  messageLate: 0,
  crashes: Math.max(profile.crashes, 0.8),
  crashAfterWrite: Math.max(profile.crashAfterWrite, 0.01),
});

/** Clients that retry at once meet clients whose response was lost. */
export const impatient = (profile: Profile): Profile => ({ ...profile, lost: Math.max(profile.lost, 0.1) });

/**
 * The default settings, scaled down. Their relations hold: a writer that gave up and its last request have ended before
 * settle (settleLagMs) and before the cursor (watchPeriodMs + marginMs, less the minute of a slot).
 */
export const SETTINGS: Settings = {
  ...DEFAULT_SETTINGS,
  shards: 1,
  lookAheadMs: 60_000,
  watchPeriodMs: 60_000,
  writerDeadlineMs: 10_000,
  marginMs: 30_000,
  settleLagMs: 30_000,
  leaseMs: 10_000,
  heartbeatMs: 3_000,
  clockSkewMs: 1_000,
  shardLeaseMs: 15_000,
  operationLeaseMs: 12_000,
};

/** The longest time that a writer's last conditional request takes. Its process has ended by then. */
export const LAST_REQUEST_MS = 5_000;
