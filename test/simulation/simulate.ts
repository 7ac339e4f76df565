// One simulation from one seed: sets the world up as its scenario says, lets it run with faults, then without, and says
// what became of the promises.
import { MINUTE, minuteOf } from '../../src/domain/executions/slots.ts';
import { Seeded } from '../support/seeded.ts';
import type { Violation } from './checks.ts';
import { Fleet } from './fleet.ts';
import { People } from './people.ts';
import { crowded, impatient, outage, randomProfile, SETTINGS, slowReading } from './profile.ts';
import { randomScenario, type ThemeName } from './scenario.ts';
import { EPOCH, SimulatedWorld } from './simulated-world.ts';
import { Standing } from './standing.ts';

export interface Simulated {
  readonly violation: Violation | undefined;
  readonly events: number;
  readonly runs: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The settle lag from the end of the faults on: settle must not be what keeps the liveness bound. */
const LATE_SETTLE_MS = 10 * MINUTE;
/** After the last fault: calls that were slow and processes that had stopped have gone on by then. */
const LAST_EFFECTS_MS = 6 * SETTINGS.leaseMs;
/** Everything must have ended this long after the last fault: some rounds of the longest check. */
const REST_WITHIN_MS = 50 * MINUTE;
const REST_AT_LEAST_MS = 3 * MINUTE + 5000;
const LOOK_EVERY_MS = 20_000;

export interface Options {
  readonly trace?: ((line: string) => void) | undefined;
  readonly theme?: ThemeName | undefined;
  readonly embedded?: boolean | undefined;
}

export async function simulate(seed: number, { trace, theme, embedded }: Options = {}): Promise<Simulated> {
  const random = new Seeded(seed, 0);
  // a stream of its own: the seeds of the other themes stay what they are
  const outages = new Seeded(seed, 5);
  const scenario = randomScenario(random, theme ?? (outages.chance(0.1) ? 'outage' : undefined));
  let profile = randomProfile(random);
  if (scenario.crowded) profile = crowded(profile, random);
  if (scenario.slowStarts) profile = slowReading(profile, random);
  if (scenario.impatient) profile = impatient(profile);
  if (scenario.outage) profile = outage(profile);
  // the queue's contents go with the processes: at the start they are refilled, or else settle has to find everything
  const refills = scenario.outage || outages.chance(0.6) || embedded === true;
  const settings = { ...SETTINGS, shards: random.chance(0.1) ? 2 : 1 };
  const wrongClocks = theme === 'clocks';
  const world = new SimulatedWorld({
    seed,
    settings,
    profile,
    wrongClocks,
    embedded,
    ...(trace && { trace }),
  });
  // a worker whose clock is wrong takes no work
  const judged = !world.clocks.areWrong && (scenario.killAll ? refills : scenario.outage);
  trace?.(`faults ${JSON.stringify(profile)}`);
  const { jobs, operations, ...rest } = scenario;
  trace?.(`scenario ${JSON.stringify(rest)}`);
  for (const { spec } of jobs) trace?.(`job ${JSON.stringify(spec)}`);

  for (let shard = 0; shard < settings.shards && !scenario.firstStart; shard++) {
    const dispatchedUntil = minuteOf(EPOCH + settings.lookAheadMs) - 1;
    const row = { shard, leaseUntil: 0, dispatchedUntil, settledUntil: minuteOf(EPOCH) - 2 };
    await world.apply('insertShard', [row]);
  }
  const fleet = new Fleet(world, scenario, random, refills);
  const standing = new Standing(world);
  fleet.begin();
  new People(world, scenario, random).begin();
  world.clocks.begin(scenario.calmAt);
  world.at(scenario.calmAt, () => {
    world.calm();
    if (judged) settings.settleLagMs = LATE_SETTLE_MS;
    fleet.recover(() => judged && scenario.killAll && standing.begin(true));
    if (judged && !scenario.killAll) world.at(world.now + LAST_EFFECTS_MS, () => standing.begin(false));
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
