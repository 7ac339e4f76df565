// The recovery time after kill -9 of a worker, of the watcher, and of everything including the engines. No execution may be
// lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { dueKey } from '../../src/domain/executions/ids.ts';
import { isTerminal } from '../../src/domain/executions/row.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { allShards } from '../../src/watcher/main.ts';
import { type Options, progress, type Report } from '../report.ts';
import { TUNED_LEASE } from '../system/settings.ts';
import { EVERY_SECOND_IN_TURN, onceAt, type Spec } from '../system/specs.ts';
import { firstStarts, keyOf, latenessOf, type Start } from '../system/starts.ts';
import { until } from '../system/until.ts';
import { createJobs } from './create.ts';
import { inSystem, type System } from './system.ts';

const RUNNING = 20;
const HOLD_MS = 60_000;
const TIMEOUT_MS = 120_000;
/** The maximum time from the start of a no-op task until its row is written. */
const ENDS_WITHIN_MS = 500;

type Line = (string | number)[];
const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Kills a worker while it runs its jobs and another worker is up, or while it holds them just before they are due. */
async function workerKilled(
  name: string,
  settings: Record<string, string>,
  moment: 'running' | 'in hand',
): Promise<Line> {
  return inSystem(settings, async (system) => {
    const victim = await system.start('worker');
    const due = Date.now() + 3_000;
    await createJobs(
      system.backend.ctx,
      Array.from({ length: RUNNING }, () => onceAt(due, { hold: HOLD_MS })),
    );
    if (moment === 'running') {
      if (!(await until(Date.now() + TIMEOUT_MS, () => system.starts().length >= RUNNING)))
        throw new Error('the jobs do not start');
      await system.start('worker');
      await sleep(4_000);
    } else {
      await sleep(due - 200 - Date.now());
    }
    const before = system.starts().length;
    await victim.stop('SIGKILL');
    const killedAt = Date.now();
    if (moment === 'in hand') await system.start('worker');
    const again = () => system.starts().slice(before);
    const all = () => firstStarts(again()).size >= RUNNING;
    await until(killedAt + TIMEOUT_MS, all);
    await sleep(1_000); // for duplicates
    const after = again().map(({ at }) => at - killedAt);
    const ran = firstStarts(again()).size;
    return [
      name,
      seconds(Math.min(...after)),
      seconds(Math.max(...after)),
      RUNNING - ran,
      after.length - ran + Math.max(0, before - RUNNING),
    ];
  });
}

/** Recurring jobs continue meanwhile, because the queue has their messages of the next minutes. */
async function watcherKilled(outageMs: number): Promise<Line> {
  return inSystem({}, async (system) => {
    await system.start('worker');
    const { store, settings } = system.backend.ctx;
    const ids = await createJobs(system.backend.ctx, Array<Spec>(10).fill(EVERY_SECOND_IN_TURN));
    await sleep(2_000);
    await system.kill('watcher');
    const from = Math.ceil(Date.now() / 1000) * 1000;
    await sleep(outageMs);
    await system.start('watcher');
    const back = Date.now();
    const caughtUp = async () => {
      const rows = await Promise.all(allShards(settings.shards).map((shard) => store.readShard(shard)));
      const horizon = minuteOf(back + settings.lookAheadMs);
      return rows.every((row) => row && row.dispatchedUntil >= horizon);
    };
    await until(back + TIMEOUT_MS, caughtUp);
    const took = Date.now() - back;
    await sleep(2_000);
    const to = Math.floor(back / 1000) * 1000;
    const starts = system.starts().filter(({ due }) => due >= from && due < to);
    const late = latenessOf(starts, ((to - from) / 1000) * ids.length);
    return [
      `the watcher, for ${seconds(outageMs)} s; ${ids.length} jobs every second continue (max lateness ${late.max} ms)`,
      seconds(took),
      seconds(took),
      late.missing,
      late.duplicates,
    ];
  });
}

async function everythingKilled(outageMs: number): Promise<Line> {
  return inSystem({}, async (system) => {
    await system.start('worker');
    const recurring = await createJobs(system.backend.ctx, Array<Spec>(10).fill(EVERY_SECOND_IN_TURN));
    const from = Math.ceil(Date.now() / 1000 + 1) * 1000;
    const dues = Array.from({ length: 200 }, (_, i) => Math.floor(from + 5_000 + (i * outageMs) / 200));
    const once = await createJobs(
      system.backend.ctx,
      dues.map((due) => onceAt(due)),
    );
    await sleep(from + 5_000 - Date.now());
    const killedAt = Date.now();
    await system.killAll();
    await sleep(outageMs);

    const back = Date.now();
    await system.start('engines');
    await system.reconnect();
    await Promise.all([system.start('watcher'), system.start('worker')]);
    const missed = Array.from({ length: Math.floor((back - from) / 1000) }, (_, i) => from + i * 1000);
    const expected = [
      ...recurring.flatMap((jobId) => missed.map((due) => ({ jobId, due }))),
      ...once.map((jobId, i) => ({ jobId, due: dues[i] ?? 0 })),
    ];
    let ended = 0;
    const done = async () => {
      ended = await endedOf(system, expected);
      return ended === expected.length;
    };
    await until(back + TIMEOUT_MS + outageMs, done);
    const wanted = new Set(expected.map(keyOf));
    const starts = system.starts().filter((start) => wanted.has(keyOf(start)));
    const first = [...firstStarts(starts).values()];
    const afterwards = first.map(({ at }) => at).filter((at) => at > back);
    // Executions that started just before the kill have no recorded end, so they must run once more.
    const cutOff = new Set(first.filter(({ at }) => at > killedAt - ENDS_WITHIN_MS && at < back).map(keyOf));
    const repeats = starts.length - first.length;
    const repeated = new Set(starts.filter(({ at }) => at > back).map(keyOf));
    const necessary = [...repeated].filter((key) => cutOff.has(key)).length;
    return [
      `everything, for ${seconds(outageMs)} s; ${expected.length} due by then`,
      seconds(Math.min(...afterwards) - back),
      seconds(Math.max(...afterwards) - back),
      expected.length - Math.min(ended, first.length),
      repeats - necessary,
    ];
  });
}

async function endedOf({ backend }: System, executions: readonly Pick<Start, 'jobId' | 'due'>[]) {
  const keys = executions.map(({ jobId, due }) => ({ jobId, due: dueKey(due) }));
  const rows = await backend.ctx.store.readRows(keys, { consistent: true });
  await sleep(500); // polling must not disturb the measurement
  return rows.filter(({ status }) => isTerminal(status)).length;
}

export async function recovery({ quick }: Options): Promise<Report> {
  progress('recovery: kill -9 of a worker');
  const tuned = Object.entries(TUNED_LEASE)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  // The jobs of these systems only wait, so the systems do not disturb each other.
  const workers = await Promise.all([
    workerKilled('a worker, default settings', {}, 'running'),
    workerKilled(`a worker, ${tuned}`, TUNED_LEASE, 'running'),
    workerKilled('a worker just before its jobs are due, default settings', {}, 'in hand'),
    workerKilled(`a worker just before its jobs are due, ${tuned}`, TUNED_LEASE, 'in hand'),
  ]);
  const outageMs = quick ? 15_000 : 120_000;
  progress('recovery: kill -9 of the watcher, and of everything');
  const others = await Promise.all([watcherKilled(outageMs), everythingKilled(outageMs)]);
  const rows = [...workers, ...others];
  return {
    name: 'recovery',
    command: 'npm run bench -- recovery --engine aws',
    tables: [
      {
        title: 'After kill -9',
        columns: ['of', 'first again after, s', 'all again after, s', 'lost', 'doubled'],
        rows,
      },
    ],
    notes: [
      `A worker: ${RUNNING} running jobs of ${HOLD_MS / 1000} s each, and another worker is up. The time from the kill until they run again. Just before they are due: it holds their messages, and the other worker is started after the kill.`,
      'The watcher: the time from its start until every shard is dispatched up to the look-ahead.',
      'Everything (also the engines; the tables are on disk, the queues are lost): the time from the start until each due occurrence has run and ended. 10 jobs every second (overlap: queue, misfire: runAll) and 200 one-time jobs due meanwhile.',
      'Doubled: started more than once besides the repeat that the kill made necessary.',
    ],
    broken: rows
      .filter(([, , , lost]) => Number(lost) > 0)
      .map(([name, , , lost]) => `${name}: ${lost} lost`),
  };
}
