// The start delay of executions in real processes, by stage. No execution may start early.
import { setTimeout as sleep } from 'node:timers/promises';
import { dueKey } from '../src/domain/executions/ids.ts';
import { ascending, commandOf, type Engine, type Options, progress, type Report, rank } from './report.ts';
import { DURABILITY_COLUMNS, type Durability, durabilityCells, durabilityNote } from './system/durability.ts';
import { EVERY_SECOND, onceAt, type Spec } from './system/specs.ts';
import { firstStarts, keyOf, type Late, latenessOf, type Start } from './system/starts.ts';
import { inTarget, type Target } from './system/target.ts';
import { until } from './system/until.ts';

/** The number of jobs of the warm-up. */
const WARM_UP = 400;
const TIMEOUT_MS = 20_000;
const POLL_MS = 200;
/** The first minutes of 200 jobs every second are about 30,000 entries and messages. */
const CATCH_UP_SECONDS = 20;

interface Measured extends Late {
  readonly name: string;
  readonly executions: number;
  readonly stages: Stages;
  readonly durability: Durability | undefined;
}

/** The milliseconds of each execution in each stage. */
interface Stages {
  readonly afterDue: number[];
  readonly toReceived: number[];
  readonly toClaimed: number[];
  readonly toStarted: number[];
}

/** One-time jobs, spread evenly over a window that begins when all have been created. */
function spread(engine: Engine, name: string, count: number, windowMs: number): Promise<Measured> {
  return measured(engine, name, async (target, createMs) => {
    const firstDue = Date.now() + createMs(count) + 4_000;
    const dues = Array.from({ length: count }, (_, i) => Math.floor(firstDue + (i * windowMs) / count));
    const ids = await target.create(dues.map((due) => onceAt(due)));
    if (Date.now() > firstDue) throw new Error('the jobs were not created in time');
    progress(`lateness: ${name}, all created`);
    const expected = new Set(ids.map((jobId, i) => keyOf({ jobId, due: dues[i] ?? 0 })));
    return { expected, end: firstDue + windowMs };
  });
}

/** Recurring jobs. The measurement begins when all have been created. */
function recurring(engine: Engine, name: string, count: number, seconds: number): Promise<Measured> {
  return measured(engine, name, async (target) => {
    const ids = await target.create(Array<Spec>(count).fill(EVERY_SECOND));
    progress(`lateness: ${name}, all created`);
    // The server has caught up with the load of the creates by then.
    const first = Math.ceil(Date.now() / 1000 + CATCH_UP_SECONDS) * 1000;
    const dues = Array.from({ length: seconds }, (_, i) => first + i * 1000);
    const expected = new Set(ids.flatMap((jobId) => dues.map((due) => keyOf({ jobId, due }))));
    return { expected, end: first + seconds * 1000 };
  });
}

type CreateMs = (count: number) => number;

function measured(
  engine: Engine,
  name: string,
  run: (target: Target, createMs: CreateMs) => Promise<{ expected: ReadonlySet<string>; end: number }>,
): Promise<Measured> {
  progress(`lateness: ${name}`);
  return inTarget(engine, async (target) => {
    const createMs = await warmUp(target);
    const { expected, end } = await run(target, createMs);
    const found = () => target.starts().filter((start) => expected.has(keyOf(start)));
    await sleep(end - Date.now());
    await until(end + TIMEOUT_MS, async () => {
      await sleep(POLL_MS); // reading the file must not disturb the measurement
      return firstStarts(found()).size === expected.size;
    });
    await sleep(1_000); // for duplicates and rows
    const starts = found();
    const late = latenessOf(starts, expected.size);
    const durability = await target.durability();
    const stages = await stagesOf(target, [...firstStarts(starts).values()]);
    return { name, executions: expected.size, ...late, stages, durability };
  });
}

/** Warms up the code. Returns the time that creating takes on this machine, with a margin. */
async function warmUp({ create, starts }: Target): Promise<CreateMs> {
  const jobs = Array<Spec>(WARM_UP).fill({ task: 'bench', schedule: { in: 'PT2S' } });
  await create(jobs);
  const began = Date.now();
  await create(jobs);
  const msPerJob = (Date.now() - began) / WARM_UP;
  if (!(await until(Date.now() + TIMEOUT_MS, () => starts().length >= 2 * WARM_UP)))
    throw new Error('the warm-up does not end');
  return (count) => count * msPerJob * 1.5;
}

/** The times of the row, and the start that the task recorded. */
async function stagesOf(target: Target, starts: readonly Start[]): Promise<Stages> {
  const stages: Stages = {
    afterDue: [],
    toReceived: [],
    toClaimed: [],
    toStarted: [],
  };
  const keys = starts.map(({ jobId, due }) => ({ jobId, due: dueKey(due) }));
  const rows = await target.rows(keys);
  const at = new Map(starts.map((start) => [keyOf(start), start.at]));
  for (const { jobId, due, enqueuedAt, receivedAt, startedAt: claimed } of rows) {
    const fireAt = Number(due);
    const started = at.get(keyOf({ jobId, due: fireAt }));
    if (!enqueuedAt || !receivedAt || !claimed || !started) continue;
    const visible = target.visibleAt(enqueuedAt, fireAt);
    stages.afterDue.push(receivedAt - fireAt);
    if (visible !== undefined) stages.toReceived.push(receivedAt - visible);
    stages.toClaimed.push(claimed - Math.max(fireAt, receivedAt));
    stages.toStarted.push(started - claimed);
  }
  return stages;
}

const p50p99 = (values: readonly number[]): string => {
  const sorted = ascending(values);
  return sorted.length === 0 ? '-' : `${rank(sorted, 0.5)} / ${rank(sorted, 0.99)}`;
};

const ON_AWS = [
  'Producer, watcher, one worker and the engines (tables on disk) are processes of this machine.',
  'A message is sent with a delay in whole seconds, so that it is visible one to two seconds before it is due. The worker holds it until then. A message that is received after it is due (its share: second column) starts late by that.',
];
const EMBEDDED = [
  'The server is one process, as `npm start` runs it. The producer is another process and creates jobs over HTTP.',
];

/** The counts cover the whole life of the server: warm-up, creates and executions. */
const syncs = (results: readonly Measured[]) => ({
  title: 'Synced to the disk, creates and warm-up included',
  columns: ['', ...DURABILITY_COLUMNS],
  rows: results.map(({ name, durability }) => [name, ...(durability ? durabilityCells(durability) : [])]),
});

export async function lateness({ quick, engine }: Options): Promise<Report> {
  const seconds = quick ? 4 : 12;
  const results: Measured[] = [];
  for (const rate of quick ? [50, 250] : [50, 250, 1_000])
    results.push(
      await spread(engine, `one-time, ${rate}/s for ${seconds} s`, rate * seconds, seconds * 1_000),
    );
  const burst = quick ? 1_000 : 5_000;
  results.push(await spread(engine, `burst of ${burst} at one instant`, burst, 0));
  const [jobs, every] = quick ? [50, 5] : [200, 20];
  results.push(await recurring(engine, `${jobs} recurring every second, ${every} s`, jobs, every));
  const durabilities = results.flatMap(({ durability }) => durability ?? []);
  return {
    name: 'lateness',
    command: commandOf('lateness', engine),
    tables: [
      {
        title: 'Lateness of the start, ms',
        columns: ['', 'executions', 'early', 'missing', 'duplicates', 'p50', 'p90', 'p99', 'max'],
        rows: results.map((r) => [
          r.name,
          r.executions,
          r.early,
          r.missing,
          r.duplicates,
          r.p50,
          r.p90,
          r.p99,
          r.max,
        ]),
      },
      {
        title: 'Delay by stage, ms p50 / p99',
        columns: [
          '',
          'visible → received',
          'received after due',
          'due (or received, if later) → may start',
          '→ started',
        ],
        rows: results.map(({ name, stages: s }) => [
          name,
          p50p99(s.toReceived),
          `${((s.afterDue.filter((ms) => ms > 0).length / s.afterDue.length) * 100).toFixed(1)} %`,
          p50p99(s.toClaimed),
          p50p99(s.toStarted),
        ]),
      },
      ...(durabilities.length > 0 ? [syncs(results)] : []),
    ],
    notes: [
      'Missing: no start. A recurring one that is later than its successor is skipped by `overlap: skip`, and counts as missing here.',
      'Start: the first line of the task, by its own clock. A fresh set of processes for each line, warmed up.',
      ...(engine === 'aws' ? ON_AWS : [...EMBEDDED, ...durabilities.slice(0, 1).map(durabilityNote)]),
    ],
    broken: results
      .filter(({ early }) => early > 0)
      .map(({ name, early }) => `${name}: ${early} started early`),
  };
}
