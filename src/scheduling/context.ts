// The context of every use case. Use cases never read the wall clock, a global random number or the environment.
import type { StopSignal } from '../concurrency/stopper.ts';
import type { UnderWay } from '../concurrency/under-way.ts';
import type { SearchLimits } from '../domain/schedule/search-budget.ts';
import type { Queue } from '../queue/queue.ts';
import type { NumberReserve, Store } from '../store/store.ts';
import type { LineRecorder } from '../telemetry/execution-logs.ts';
import type { NotificationPublisher } from './notification-publisher.ts';

export interface Clock {
  /** Epoch milliseconds. Two machines differ by at most `clockSkewMs`. */
  now(): number;
  /**
   * The offset of the machine's own clock from the reference clock in milliseconds, negative if it is behind. `now` is corrected
   * by it. Absent if there is no reference clock.
   */
  offBy?(): number;
  /** Milliseconds that never jump. Leases are measured with it. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal?: StopSignal): Promise<void>;
}

export interface Random {
  /** A fresh id of `length` base-62 characters. */
  id(length: number): string;
  /** In [0, 1). */
  float(): number;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export interface Settings {
  readonly shards: number;
  /** The horizon. Messages of what is due within it are in the queue. */
  readonly lookAheadMs: number;
  /** The time between two passes of the watcher. */
  readonly watchPeriodMs: number;
  /** A writer gives up after this time. It must be shorter than settleLagMs and marginMs. */
  readonly writerDeadlineMs: number;
  /** The time that a writer plans beyond look-ahead and watch period, so that the cursor never passes entries unsent. */
  readonly marginMs: number;
  /** A slot is settled this long after its end. */
  readonly settleLagMs: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /**
   * The largest difference between the clocks of two machines. Other workers count a lease as over this much later, and its
   * holder gives it up this much earlier. A worker whose own clock is off by more than half of it claims nothing.
   */
  readonly clockSkewMs: number;
  /**
   * A run starts within this time of the first read of its claim, or gives the claim back. A change that finds a claim on its way
   * returns after this time.
   */
  readonly startWindowMs: number;
  /** How long a watcher holds a shard without committing. */
  readonly shardLeaseMs: number;
  /**
   * How long a process holds a background operation without committing. Decisions are sent in its first half. If the holder has
   * died, a stop waits for the end of this lease. On AWS the request ends before, and a repeated one goes on waiting.
   */
  readonly operationLeaseMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  shards: 16,
  lookAheadMs: 300_000,
  watchPeriodMs: 60_000,
  writerDeadlineMs: 30_000,
  marginMs: 60_000,
  settleLagMs: 120_000,
  leaseMs: 30_000,
  heartbeatMs: 10_000,
  clockSkewMs: 2_000,
  startWindowMs: 1_000,
  shardLeaseMs: 30_000,
  operationLeaseMs: 20_000,
};

/** Whether the machine's clock is off by at most half of clockSkewMs, so that two machines differ by at most clockSkewMs. */
export const isClockRight = ({ clock, settings }: Pick<Context, 'clock' | 'settings'>): boolean =>
  /* [rule right-clock] */ Math.abs(clock.offBy?.() ?? 0) <= settings.clockSkewMs / 2;

export interface Context {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: Settings;
  /** The budget of the searches for occurrences of one request, or of one pass over a shard. Absent for the defaults. */
  readonly searchLimits?: SearchLimits;
  /** Absent if notifications are off. */
  readonly publisher?: NotificationPublisher;
  /** Keeps the log lines of tasks. Absent if they are in the log of the process only. */
  readonly lines?: LineRecorder;
  /**
   * The id of this start of an embedded server. Its single process has locked the data folder, so no holder of another boot id
   * is alive. Absent if there are several processes. Only the lease of a holder counts then.
   */
  readonly boot?: string;
  /** The claims of the process, if all workers are in it: a change waits for them, and not for a time. */
  readonly claims?: UnderWay;
  /** Keeps the numbers of claims growing over a power failure. Absent on AWS, where no answered write is lost. */
  readonly numbers?: NumberReserve;
}
