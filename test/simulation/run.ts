// The command `npm run check:protocol`.
import { parseArgs } from 'node:util';
import { mutate } from './mutate.ts';

const USAGE = `usage: npm run check:protocol -- [options]

Runs the protocol under simulated crashes, stalls, lost answers, stale reads and wrong clocks, one seed at a time.
The first seed that breaks a promise is replayed step by step, and the exit code is 1.

  --seeds <n>       number of seeds (default 1000)
  --from <seed>     first seed (default 1)
  --seed <seed>     one seed only
  --trace           with --seed: prints each step
  --theme <name>    one kind of scenario, for all seeds (test/simulation/scenario.ts)
  --embedded        one embedded server: SQLite, a work queue in memory, restarts
  --mutate <rule>   takes out one rule of the protocol (test/simulation/mutations.ts)
  --all             continues after a failure and counts
  --brief           no trace of a failing seed`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    mutate: { type: 'string' },
    theme: { type: 'string' },
    embedded: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    brief: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

/** In this many seeds each event of MUST_HAPPEN happens. Otherwise the simulator no longer reaches that code. */
const ENOUGH_SEEDS = 1000;
const MUST_HAPPEN = [
  ...[
    'create',
    'edit',
    'editSame',
    'editParams',
    'pause',
    'resume',
    'cancelJob',
    'runNow',
    'retry',
    'cancel',
  ].map((call) => `${call} returned`),
  ...[
    'putNamed returned',
    'cancelNamed returned',
    'named create',
    'named update',
    'named replace',
    'named none',
    'pointer of a replacement',
    'backfill returned',
    'bulk returned',
    'bulk pause',
    'bulk resume',
    'bulk cancel',
    'stopOperation returned',
    'operation done',
    'operation stopped',
    'backfilled',
    'operation step',
    'operation taken over',
    ...['editLimit returned', 'seat of a key taken', 'seat of a key taken again'],
    ...['run with a key', 'runs with one key at once'],
    ...['opened', 'opened again', 'locked', 'given back'],
  ],
  ...['QUEUED', 'RUNNING', 'SKIPPED', 'CANCELLED'],
  ...['QUEUED to QUEUED', 'QUEUED to RUNNING', 'QUEUED to SKIPPED', 'QUEUED to CANCELLED'],
  ...['RUNNING to QUEUED', 'RUNNING to RETRYING', 'RUNNING to SUCCEEDED', 'RUNNING to FAILED'],
  ...['RUNNING to CANCELLED', 'RETRYING to RUNNING', 'RETRYING to CANCELLED'],
  ...['FAILED to QUEUED', 'SKIPPED to QUEUED', 'CANCELLED to QUEUED'],
  ...['clock jumps', 'worker with a wrong clock', 'watcher with a wrong clock', 'api with a wrong clock'],
  ...['poisoned head', 'poisoned shard'],
];

// this happens in about one of 1,000 seeds
if (Number(values.seeds) >= 5 * ENOUGH_SEEDS && !values.embedded) MUST_HAPPEN.push('operation let go');
if (values.embedded) MUST_HAPPEN.push('restarted', 'opened after a restart');

if (values.mutate !== undefined) mutate(values.mutate);
// imported after the mutation is in place
const { simulate } = await import('./simulate.ts');
const { isTheme } = await import('./scenario.ts');

const theme = themeOf(values.theme);
const { embedded } = values;

if (values.seed !== undefined) {
  process.exitCode = (await tell(Number(values.seed), values.trace)) ? 1 : 0;
} else {
  await many(Number(values.from), Number(values.seeds));
}

function themeOf(name: string | undefined) {
  if (name === undefined || isTheme(name)) return name;
  throw new Error(`there is no theme "${name}" in scenario.ts`);
}

/** Runs and reports one seed. True if it breaks a promise. */
async function tell(seed: number, trace: boolean): Promise<boolean> {
  const { violation, events, runs } = await simulate(seed, {
    theme,
    embedded,
    trace: trace ? (line) => console.log(line) : undefined,
  });
  if (violation) console.log(`seed ${seed}: VIOLATION ${violation.invariant}: ${violation.detail}`);
  else console.log(`seed ${seed}: all promises kept (${events} events, ${runs} runs)`);
  return violation !== undefined;
}

async function many(from: number, count: number): Promise<void> {
  const began = performance.now();
  let events = 0;
  let runs = 0;
  const failed = new Map<string, number[]>();
  const counts = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const result = await simulate(from + i, { theme, embedded });
    events += result.events;
    runs += result.runs;
    for (const [what, times] of result.counts) counts.set(what, (counts.get(what) ?? 0) + times);
    const { violation } = result;
    if (violation) {
      const seeds = failed.get(violation.invariant) ?? [];
      failed.set(violation.invariant, [...seeds, from + i]);
      if (!values.all) {
        if (!values.brief) await tell(from + i, true);
        console.log(JSON.stringify({ seed: from + i, tried: i + 1, ...violation }));
        process.exitCode = 1;
        return;
      }
    }
    if ((i + 1) % 2000 === 0) console.log(`${i + 1} seeds, ${perSecond(i + 1)} a second`);
  }
  for (const [invariant, seeds] of failed)
    console.log(`VIOLATION ${invariant}: ${seeds.length} seeds, such as ${seeds.slice(0, 8).join(', ')}`);
  if (failed.size > 0) process.exitCode = 1;
  console.log(
    [...counts]
      .sort()
      .map(([what, times]) => `${what} ${times}`)
      .join(', '),
  );
  const never = count < ENOUGH_SEEDS ? [] : MUST_HAPPEN.filter((what) => !counts.has(what));
  if (never.length > 0) {
    console.log(`never happened, so nothing was proved about it: ${never.join(', ')}`);
    process.exitCode = 1;
  }
  const each = `${Math.round(events / count)} events and ${(runs / count).toFixed(1)} runs each`;
  console.log(JSON.stringify({ from, seeds: count, failed: failed.size, perSecond: perSecond(count), each }));

  function perSecond(done: number): number {
    return Math.round(done / ((performance.now() - began) / 1000));
  }
}
