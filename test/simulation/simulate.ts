// One simulation of one seed: sets up the world of its scenario, runs it with faults and then without, and reports whether
// a promise was broken.
import { MINUTE, minuteOf } from '../../src/domain/executions/slots.ts';
import { Seeded } from '../support/seeded.ts';
import type { Violation } from './checks.ts';
import { Fleet } from './fleet.ts';
import { People, USER } from './people.ts';
import { beating, crowded, impatient, outage, randomProfile, SETTINGS, slowReading } from './profile.ts';
import { randomScenario, type ThemeName } from './scenario.ts';
import { EPOCH, SimulatedWorld } from './simulated-world.ts';
import { Standing } from './standing.ts';

export interface Simulated {
  readonly violation: Violation | undefined;
  readonly events: number;
  readonly runs: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The settle lag after the faults. It is long, so that settle is not what keeps the liveness bound. */
const LATE_SETTLE_MS = 10 * MINUTE;
/** The time after the last fault until slow calls and stopped processes have continued. */
const LAST_EFFECTS_MS = 6 * SETTINGS.leaseMs;
/** All executions must have ended this long after the last fault, which is several rounds of the longest check. */
const REST_WITHIN_MS = 50 * MINUTE;
const REST_AT_LEAST_MS = 3 * MINUTE + 5000;
const LOOK_EVERY_MS = 20_000;
/** A search ends after one or two excluded times. A request has a few of them, so that people can create jobs. */
const FEW_STEPS = { perSearch: 2, total: 40, remembers: false };

export interface Options {
  readonly trace?: ((line: string) => void) | undefined;
  readonly theme?: ThemeName | undefined;
  readonly embedded?: boolean | undefined;
}

export async function simulate(seed: number, { trace, theme, embedded }: Options = {}): Promise<Simulated> {
  const random = new Seeded(seed, 0);
  // streams of their own, so that the seeds of the other themes do not change
  const outages = new Seeded(seed, 5);
  const names = new Seeded(seed, 6);
  const bulks = new Seeded(seed, 7);
  const keys = new Seeded(seed, 8);
  const searches = new Seeded(seed, 9);
  const besides = outages.chance(0.1)
    ? 'outage'
    : names.chance(0.08)
      ? 'named'
      : bulks.chance(0.08)
        ? 'bulk'
        : keys.chance(0.12)
          ? 'keys'
          : searches.chance(0.06)
            ? 'searching'
            : undefined;
  const scenario = randomScenario(random, theme ?? besides);
  let profile = randomProfile(random);
  if (scenario.crowded) profile = crowded(profile, random);
  if (scenario.slowStarts) profile = slowReading(profile, random);
  if (scenario.slowBeats) profile = beating(profile);
  if (scenario.impatient) profile = impatient(profile);
  if (scenario.outage) profile = outage(profile);
  // the queue loses its contents with the processes. A refill at the start sends them again, or else settle does
  const refills = scenario.outage || outages.chance(0.6) || embedded === true;
  const settings = { ...SETTINGS, shards: random.chance(0.1) ? 2 : 1 };
  const wrongClocks = theme === 'clocks';
  const world = new SimulatedWorld({
    seed,
    settings,
    profile,
    wrongClocks,
    embedded,
    ...(scenario.searching && { searchLimits: FEW_STEPS }),
    ...(trace && { trace }),
  });
  // a worker whose clock is wrong takes no work
  const judged =
    !world.clocks.areWrong && !scenario.searching && (scenario.killAll ? refills : scenario.outage);
  trace?.(`faults ${JSON.stringify(profile)}`);
  const { jobs, operations, ...rest } = scenario;
  trace?.(`scenario ${JSON.stringify(rest)}`);
  for (const { spec } of jobs) trace?.(`job ${JSON.stringify(spec)}`);

  for (let shard = 0; shard < settings.shards && !scenario.firstStart; shard++) {
    const dispatchedUntil = minuteOf(EPOCH + settings.lookAheadMs) - 1;
    const row = { shard, leaseUntil: 0, dispatchedUntil, settledUntil: minuteOf(EPOCH) - 2 };
    await world.apply('insertShard', [row]);
  }
  const { limit } = jobs[0]?.spec ?? {};
  if (scenario.leftovers && limit) await world.checks.keys.leaveBehind(USER, limit);
  const fleet = new Fleet(world, scenario, random, refills);
  const standing = new Standing(world);
  fleet.begin();
  const people = new People(world, scenario, random);
  people.begin();
  world.clocks.begin(scenario.calmAt);
  world.at(scenario.calmAt, () => {
    world.calm();
    if (judged) settings.settleLagMs = LATE_SETTLE_MS;
    fleet.recover(() => judged && scenario.killAll && standing.begin(true));
    if (judged && !scenario.killAll) world.at(world.now + LAST_EFFECTS_MS, () => standing.begin(false));
    // late requests of dead processes have landed by then
    world.at(world.now + LAST_EFFECTS_MS + 30_000, () => people.putNamesAgain());
    endWhenAtRest(world);
  });

  const unhandled = (error: unknown) => world.fail('no unexpected error', `unhandled: ${String(error)}`);
  process.on('unhandledRejection', unhandled);
  try {
    await world.run();
  } finally {
    process.off('unhandledRejection', unhandled);
    world.close();
  }
  if (!world.violation) await world.checks.changes.compare();
  const { violation, events, counts, checks } = world;
  return { violation, events, runs: checks.runs.length, counts };
}

function endWhenAtRest(world: SimulatedWorld): void {
  const calmSince = world.now;
  const look = () => {
    const unfinished = world.checks.unfinished();
    if (unfinished.length === 0) return world.end();
    if (world.now - calmSince > REST_WITHIN_MS) return world.fail('everything ends', unfinished.join('; '));
    world.at(world.now + LOOK_EVERY_MS, look);
  };
  world.at(calmSince + REST_AT_LEAST_MS, look);
}
