// The scenario of a seed: jobs of every kind, and people who create, edit, pause, cancel, retry and backfill at awkward
// moments.
import type { JobSpec } from '../../src/domain/jobs/job-spec.ts';
import type { ScheduleInput } from '../../src/domain/schedule/schedule-schema.ts';
import type { Seeded } from '../support/seeded.ts';
import { EPOCH } from './simulated-world.ts';

export const OPERATIONS = [
  'create',
  'edit',
  'editSame',
  'editParams',
  'pause',
  'resume',
  'cancelJob',
  'runNow',
  'retry',
  'cancelExecution',
  'backfill',
  'putNamed',
  'cancelNamed',
  'bulk',
  'editLimit',
] as const;
export type Operation = (typeof OPERATIONS)[number];
type Weights = Readonly<Record<Operation, number>>;

const EVERYTHING: Weights = {
  create: 1,
  edit: 2,
  editSame: 1,
  editParams: 1,
  pause: 2,
  resume: 3,
  cancelJob: 1,
  runNow: 3,
  retry: 4,
  cancelExecution: 3,
  backfill: 2,
  putNamed: 0,
  cancelNamed: 0,
  bulk: 0,
  editLimit: 0,
};
const NOTHING: Weights = {
  create: 0,
  edit: 0,
  editSame: 0,
  editParams: 0,
  pause: 0,
  resume: 0,
  cancelJob: 0,
  runNow: 0,
  retry: 0,
  cancelExecution: 0,
  backfill: 0,
  putNamed: 0,
  cancelNamed: 0,
  bulk: 0,
  editLimit: 0,
};

/** The subject of a seed. Some races are too rare to be met when everything is possible at once. */
interface Theme {
  readonly weights: Weights;
  readonly overlap?: JobSpec['overlap'];
  readonly once?: boolean;
  readonly mostOperations: number;
  readonly failing?: number;
  /** Occurrences follow each other closely, and runs take longer than that. */
  readonly crowded?: boolean;
  /** People change jobs just before they are due, and workers die just before a start. */
  readonly lastMoments?: boolean;
  /** Workers read slowly, and people change jobs between a claim and its start. */
  readonly slowStarts?: boolean;
  /** Runs are long, and heartbeats are slow. */
  readonly slowBeats?: boolean;
  /** Requests stop between their writes for longer than a writer may take. */
  readonly slowWriters?: boolean;
  /** Machines die. The queue loses nothing by itself. */
  readonly outage?: boolean;
  /** Schedules begin minutes before their job is created, so there is much to backfill. */
  readonly past?: boolean;
  /** Many jobs, in two groups by a tag. */
  readonly groups?: boolean;
  /** Searches for occurrences end after a few steps. Schedules have exclusions, and a process remembers nothing of another. */
  readonly searching?: boolean;
  /** Several jobs share a concurrency key, and workers stop or die when they have acquired a slot. */
  readonly keyed?: boolean;
}

const THEMES = {
  everything: { weights: EVERYTHING, mostOperations: 6 },
  quiet: { weights: NOTHING, mostOperations: 0 },
  byHand: {
    weights: { ...NOTHING, runNow: 2, retry: 4, backfill: 1, cancelExecution: 1 },
    mostOperations: 6,
    failing: 0.5,
  },
  waiting: {
    weights: { ...NOTHING, pause: 3, edit: 2, editSame: 1, resume: 3, cancelExecution: 1 },
    overlap: 'queue',
    mostOperations: 5,
  },
  once: {
    weights: { ...NOTHING, edit: 3, runNow: 3, retry: 1, cancelExecution: 1, pause: 1, resume: 1 },
    once: true,
    mostOperations: 4,
  },
  planning: {
    weights: { ...NOTHING, create: 3, edit: 3, editSame: 2, pause: 2, resume: 4 },
    mostOperations: 6,
  },
  cancelAndRetry: {
    weights: { ...NOTHING, cancelExecution: 3, retry: 4, cancelJob: 1 },
    mostOperations: 6,
    failing: 0.4,
  },
  beside: { weights: EVERYTHING, overlap: 'allow', mostOperations: 5 },
  crowded: { weights: { ...NOTHING, cancelExecution: 1, runNow: 1 }, mostOperations: 2, crowded: true },
  lastMoments: {
    weights: { ...NOTHING, pause: 3, edit: 3, editSame: 2, resume: 2, cancelExecution: 1, cancelJob: 1 },
    mostOperations: 8,
    lastMoments: true,
  },
  /** Runs only with `--theme`. Other themes have wrong clocks in one seed of five. */
  clocks: { weights: { ...NOTHING, create: 1, pause: 1, resume: 2, runNow: 1 }, mostOperations: 3 },
  slowStarts: {
    weights: {
      ...NOTHING,
      ...{ edit: 1, editSame: 1, editParams: 3, pause: 3, resume: 2 },
      ...{ cancelExecution: 3, cancelJob: 1, runNow: 1, retry: 1 },
    },
    mostOperations: 10,
    slowStarts: true,
  },
  /** Runs only with `--theme`. */
  slowBeats: {
    weights: { ...NOTHING, runNow: 2, retry: 2, cancelExecution: 1 },
    mostOperations: 3,
    failing: 0.3,
    slowBeats: true,
  },
  /** Runs only with `--theme`. */
  slowWriters: {
    weights: { ...NOTHING, create: 4, edit: 3, editSame: 2, pause: 2, resume: 4 },
    mostOperations: 8,
    slowWriters: true,
  },
  outage: {
    weights: {
      ...NOTHING,
      runNow: 2,
      retry: 1,
      cancelExecution: 2,
      pause: 1,
      resume: 2,
      edit: 1,
      editSame: 1,
    },
    mostOperations: 4,
    failing: 0.3,
    outage: true,
  },
  keys: {
    weights: {
      ...NOTHING,
      ...{
        runNow: 3,
        retry: 2,
        cancelExecution: 2,
        pause: 1,
        resume: 2,
        edit: 1,
        editLimit: 2,
        cancelJob: 1,
      },
    },
    mostOperations: 5,
    keyed: true,
  },
  backfilling: {
    weights: { ...NOTHING, backfill: 6, cancelExecution: 1, edit: 1, pause: 1, resume: 1, cancelJob: 1 },
    mostOperations: 4,
    past: true,
  },
  /** Jobs by name, which several people create, edit, replace and cancel at once. */
  named: {
    weights: {
      ...NOTHING,
      putNamed: 12,
      cancelNamed: 2,
      cancelJob: 1,
      pause: 1,
      resume: 1,
      edit: 1,
      runNow: 1,
    },
    mostOperations: 10,
  },
  searching: {
    weights: { ...NOTHING, edit: 2, editSame: 1, pause: 2, resume: 3, runNow: 1, cancelExecution: 1 },
    mostOperations: 5,
    searching: true,
  },
  bulk: {
    weights: {
      ...NOTHING,
      bulk: 6,
      pause: 1,
      resume: 2,
      cancelExecution: 1,
      create: 2,
      edit: 1,
      editParams: 1,
    },
    mostOperations: 8,
    groups: true,
  },
} as const satisfies Record<string, Theme>;

/** The names in the theme `named`. */
export const JOB_NAMES = ['x', 'y'] as const;

export type ThemeName = keyof typeof THEMES;

export interface Scenario {
  readonly theme: string;
  readonly failing: number;
  readonly crowded: boolean;
  readonly lastMoments: boolean;
  readonly slowStarts: boolean;
  readonly slowBeats: boolean;
  readonly slowWriters: boolean;
  readonly outage: boolean;
  readonly past: boolean;
  readonly keyed: boolean;
  readonly searching: boolean;
  /** Whether the slots of the key have leftovers of runs whose rows have expired. */
  readonly leftovers: boolean;
  /** Half of the executions that did not succeed are retried at once. */
  readonly impatient: boolean;
  readonly jobs: readonly { at: number; spec: JobSpec; key: string | undefined; doubled: boolean }[];
  readonly operations: readonly { at: number; operation: Operation }[];
  readonly workers: number;
  readonly watchers: number;
  /** The end of the faults. */
  readonly calmAt: number;
  readonly downtime: { from: number; until: number; wipe: boolean } | undefined;
  /** Whether every process is killed and every message lost at the end of the faults. */
  readonly killAll: boolean;
  /** Whether the shard's row is missing at first. */
  readonly firstStart: boolean;
}

export const isTheme = (name: string): name is ThemeName => name in THEMES;

/** `given` replaces the theme that the seed would pick. */
export function randomScenario(random: Seeded, given?: ThemeName): Scenario {
  const picked = random.weighted({
    everything: 5,
    quiet: 1,
    byHand: 2,
    waiting: 2,
    once: 2,
    planning: 2,
    cancelAndRetry: 2,
    beside: 2,
    crowded: 3,
    lastMoments: 2,
    clocks: 0,
    keys: 0,
    slowStarts: 3,
    backfilling: 2,
    searching: 0,
    named: 0,
  });
  const name = given ?? picked;
  const theme: Theme = THEMES[name];
  const start = EPOCH + random.int(0, 59_999);
  const longest = theme.outage ? 220_000 : 300_000;
  const calmAt = start + (theme.crowded ? random.int(60_000, 100_000) : random.int(120_000, longest));
  const jobs = Array.from({ length: jobsOf(random, theme) }, () => ({
    at: start + (random.chance(0.7) ? random.int(0, 3000) : random.int(0, 60_000)),
    spec: randomSpec(random, theme, start, calmAt),
    key: random.chance(0.5) ? random.id(6) : undefined,
    doubled: random.chance(0.4),
  }));
  const requests = theme.mostOperations === 0 ? 0 : random.int(1, theme.mostOperations);
  const operations = Array.from({ length: requests }, () => ({
    at: awkwardMoment(random, start, calmAt),
    operation: random.weighted(theme.weights),
  })).sort((a, b) => a.at - b.at);
  const downFrom = random.int(start + 30_000, calmAt - 30_000);
  return {
    theme: name,
    failing: theme.failing ?? (random.chance(0.6) ? 0.3 : 0),
    crowded: theme.crowded ?? false,
    lastMoments: theme.lastMoments ?? false,
    slowStarts: theme.slowStarts ?? false,
    slowBeats: theme.slowBeats ?? false,
    slowWriters: theme.slowWriters ?? false,
    outage: theme.outage ?? false,
    impatient: random.chance(name === 'cancelAndRetry' || name === 'byHand' ? 0.5 : 0.1) && !theme.outage,
    past: theme.past ?? false,
    keyed: theme.keyed ?? false,
    searching: theme.searching ?? false,
    leftovers: theme.keyed === true && random.chance(0.4),
    jobs,
    operations,
    workers: theme.crowded ? 3 : random.pick([1, 2, 2, 2, 3]),
    watchers: random.pick([1, 1, 2]),
    calmAt,
    downtime: random.chance(0.15)
      ? {
          from: downFrom,
          until: downFrom + random.int(20_000, 200_000),
          wipe: random.chance(0.5) && !theme.outage,
        }
      : undefined,
    killAll: random.chance(0.4),
    firstStart: random.chance(0.03),
  };
}

const jobsOf = (random: Seeded, theme: Theme): number =>
  theme.keyed
    ? random.int(2, 4)
    : theme.groups
      ? random.int(2, 6)
      : theme.crowded
        ? 1
        : random.pick([1, 1, 1, 2, 2, 3]);

/** Often a moment at which something is due, because races happen there. */
function awkwardMoment(random: Seeded, start: number, end: number): number {
  const at = random.int(start + 2000, end);
  return random.chance(0.6) ? Math.floor(at / 5000) * 5000 + random.int(-300, 1500) : at;
}

/** The concurrency key of all jobs of a scenario with keys. */
export const KEY = 'k';

const seconds = (n: number): string => `PT${n}S`;
const iso = (time: number): string => new Date(time).toISOString();

/** A schedule on multiples of five seconds, so that the occurrences of jobs and edits coincide. */
export function randomSchedule(
  random: Seeded,
  options: {
    once?: boolean | undefined;
    searching?: boolean | undefined;
    crowded?: boolean | undefined;
    past?: boolean | undefined;
    now: number;
    endAt: number;
  },
): ScheduleInput | undefined {
  const { now, endAt } = options;
  const fives = (time: number) => Math.ceil(time / 5000) * 5000;
  if (options.once || (!options.crowded && random.chance(0.15))) {
    if (random.chance(0.15)) return undefined;
    if (random.chance(0.3)) return { in: seconds(random.int(1, 60)) };
    return { at: iso(fives(now + random.int(1000, 90_000))) };
  }
  const jitter = random.chance(0.2) ? { jitterSeconds: random.int(1, 12) } : {};
  const end = random.chance(0.8) ? { endAt: iso(endAt) } : {};
  if (random.chance(0.08)) {
    return {
      cron: random.pick(['*/15 * * * * *', '0,30 * * * * *', '* * * * *', '20/40 * * * * *']),
      ...jitter,
      ...end,
    };
  }
  if (options.past)
    return { every: seconds(10), startAt: iso(fives(now - random.int(60_000, 300_000))), ...jitter, ...end };
  const every = random.pick(options.crowded ? [3, 4, 5] : [10, 15, 15, 20, 30, 30, 60, 150]);
  const startAt = random.chance(0.7) ? { startAt: iso(fives(now + random.int(0, 20_000))) } : {};
  const except = options.searching
    ? {
        except: random.pick([
          [{ cron: '0-29 * * * * *' }],
          [{ cron: '*/3 * * * *' }, { cron: '30-59 * * * * *' }],
        ]),
      }
    : {};
  return { every: seconds(every), ...startAt, ...jitter, ...end, ...except };
}

export const GROUPS = ['a', 'b'];

function randomSpec(random: Seeded, theme: Theme, start: number, calmAt: number): JobSpec {
  const backoffSeconds = random.pick([0, 1, 2, 5]);
  return {
    task: 'simulated',
    params: { n: 1 },
    schedule: randomSchedule(random, {
      once: theme.once && random.chance(0.85),
      crowded: theme.crowded ?? (theme.outage && random.chance(0.5)),
      past: theme.past,
      searching: theme.searching,
      now: start,
      endAt: calmAt + random.int(-60_000, 30_000),
    }),
    retry: { maxAttempts: random.pick([1, 1, 2, 3]), backoffSeconds, maxBackoffSeconds: 20 },
    timeoutSeconds: random.pick([4, 12, 40]),
    overlap:
      theme.overlap ??
      random.pick(
        theme.crowded
          ? ['skip', 'queue']
          : theme.slowStarts || theme.groups
            ? ['skip', 'queue', 'allow', 'allow']
            : ['skip', 'skip', 'queue', 'queue', 'allow'],
      ),
    misfire: { policy: random.pick(['runAll', 'runOnce', 'skip']), graceSeconds: random.pick([3, 10, 30]) },
    ...(theme.keyed && { limit: { key: KEY, concurrent: random.pick([1, 1, 2, 2, 3]) } }),
    notify: [],
    tags: theme.groups ? { group: random.pick(GROUPS) } : {},
  };
}
