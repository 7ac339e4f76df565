// The counts of the last day by minute, in the memory of the process. They are lost at a restart.
import { type Counted, percentilesOf } from '../../domain/percentiles.ts';
import { BUCKETS, type Bucket, type Counts, NO_COUNTS, type Statistics } from '../statistics.ts';

const MINUTE_MS = 60_000;
/** Minutes that are kept. */
export const MAX_MINUTES = 1_440;
/** Latenesses up to this one are counted by millisecond. */
const EXACT_MS = 100;
/** Larger ones are counted in classes, each this much larger than the one before. */
const CLASS_RATIO = 1.02;
/** The largest class: about 30 years. */
const MAX_LATENESS_MS = 1e12;

/** The metrics of workers that are counted, and their names here. */
const COUNTED: Readonly<Record<string, keyof Counts>> = {
  Succeeded: 'succeeded',
  Failed: 'failed',
  Skipped: 'skipped',
  Cancelled: 'cancelled',
  Retried: 'retried',
};

interface Minute {
  readonly counts: Record<keyof Counts, number>;
  /** The number of starts by class of lateness. */
  readonly latenesses: Map<number, number>;
  running: number;
  samples: number;
}

export interface MinuteStatistics extends Statistics {
  /** Takes a metric of a worker. Metrics that are not shown are ignored. */
  add(name: string, value: number): void;
  flush(): void;
}

export function createMinuteStatistics(clock: { now(): number }): MinuteStatistics {
  const minutes = new Map<number, Minute>();
  const begun = clock.now();

  function present(): Minute {
    const minute = Math.floor(clock.now() / MINUTE_MS);
    const known = minutes.get(minute);
    if (known) return known;
    const fresh = { counts: { ...NO_COUNTS }, latenesses: new Map<number, number>(), running: 0, samples: 0 };
    minutes.set(minute, fresh);
    for (const old of minutes.keys()) if (old <= minute - MAX_MINUTES) minutes.delete(old);
    // a clock that was set back leaves later minutes behind
    for (const first of minutes.keys()) {
      if (minutes.size <= MAX_MINUTES) break;
      minutes.delete(first);
    }
    return fresh;
  }

  return {
    add(name, value) {
      const counted = COUNTED[name];
      if (counted !== undefined) present().counts[counted] += value;
      else if (name === 'Running') {
        const minute = present();
        minute.running += value;
        minute.samples++;
      } else if (name === 'Lateness') {
        const { counts, latenesses } = present();
        const lateness = classOf(value);
        counts.started++;
        latenesses.set(lateness, (latenesses.get(lateness) ?? 0) + 1);
      }
    },
    flush() {},
    since: (now) => Math.max(begun, now - MAX_MINUTES * MINUTE_MS),
    async read({ from, to, bucket }) {
      const lengthMs = BUCKETS[bucket];
      const within = [...minutes].filter(([minute]) => minute * MINUTE_MS >= from && minute * MINUTE_MS < to);
      const byBucket = Map.groupBy(within, ([minute]) => Math.floor((minute * MINUTE_MS) / lengthMs));
      return [...byBucket]
        .sort(([a], [b]) => a - b)
        .map(([n, own]) =>
          bucketOf(
            n * lengthMs,
            own.map(([, minute]) => minute),
          ),
        );
    },
  };
}

function bucketOf(at: number, minutes: readonly Minute[]): Bucket {
  const counts = { ...NO_COUNTS } as Record<keyof Counts, number>;
  const latenesses: Counted[] = [];
  let [running, samples] = [0, 0];
  for (const minute of minutes) {
    for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] += minute.counts[name];
    latenesses.push(...minute.latenesses);
    running += minute.running;
    samples += minute.samples;
  }
  const latenessMs = percentilesOf(latenesses);
  return {
    ...{ at, ...counts },
    ...(samples > 0 && { running: running / samples }),
    ...(latenessMs && { latenessMs }),
  };
}

/** The smallest value of the class of a lateness, in whole milliseconds. A class has at most 2 % of its value. */
export function classOf(latenessMs: number): number {
  const value = Math.min(Math.max(0, Math.round(latenessMs) || 0), MAX_LATENESS_MS);
  if (value <= EXACT_MS) return value;
  const step = Math.floor(Math.log(value / EXACT_MS) / Math.log(CLASS_RATIO));
  return Math.round(EXACT_MS * CLASS_RATIO ** step);
}
