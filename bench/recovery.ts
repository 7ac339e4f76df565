// The recovery time of an embedded server after kill -9. No execution may be lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { dueKey } from '../src/domain/executions/ids.ts';
import { isTerminal } from '../src/domain/executions/row.ts';
import { commandOf, type Options, progress, type Report } from './report.ts';
import { type Durability, durabilityNote, durabilityOf } from './system/durability.ts';
import { type Embedded, inEmbedded } from './system/embedded.ts';
import { idsOf } from './system/rest.ts';
import { EVERY_SECOND_IN_TURN, onceAt, type Spec } from './system/specs.ts';
import { firstStarts, keyOf, type Start } from './system/starts.ts';
import { until } from './system/until.ts';

const RUNNING = 20;
const HOLD_MS = 60_000;
const TIMEOUT_MS = 120_000;
/** The maximum time from the start of a no-op task until its row is written. */
const ENDS_WITHIN_MS = 500;

interface Recovered {
  readonly line: readonly (string | number)[];
  readonly lost: number;
  readonly durability: Durability;
}
const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Kills the server while it runs its jobs, or while it holds them just before they are due, and restarts it at once. */
const killed = (name: string, moment: 'running' | 'in hand'): Promise<Recovered> =>
  inEmbedded({}, async (server) => {
    const due = Date.now() + 3_000;
    idsOf(
      await server.rest.createBatches(Array.from({ length: RUNNING }, () => onceAt(due, { hold: HOLD_MS }))),
    );
    if (moment === 'in hand') await sleep(due - 200 - Date.now());
    else if (!(await until(Date.now() + TIMEOUT_MS, () => server.starts().length >= RUNNING)))
      throw new Error('the jobs do not start');
    const before = server.starts().length;
    await server.kill();
    const killedAt = Date.now();
    await server.start();
    const again = () => server.starts().slice(before);
    await until(killedAt + TIMEOUT_MS, () => firstStarts(again()).size >= RUNNING);
    await sleep(1_000); // for duplicates
    const after = again().map(({ at }) => at - killedAt);
    const ran = firstStarts(again()).size;
    const doubled = after.length - ran + Math.max(0, before - RUNNING);
    return {
      line: [name, seconds(Math.min(...after)), seconds(Math.max(...after)), RUNNING - ran, doubled],
      lost: RUNNING - ran,
      durability: durabilityOf(await server.counts()),
    };
  });

const downFor = (outageMs: number): Promise<Recovered> =>
  inEmbedded({}, async (server) => {
    const recurring = idsOf(await server.rest.createBatches(Array<Spec>(10).fill(EVERY_SECOND_IN_TURN)));
    const from = Math.ceil(Date.now() / 1000 + 1) * 1000;
    const dues = Array.from({ length: 200 }, (_, i) => Math.floor(from + 5_000 + (i * outageMs) / 200));
    const once = idsOf(await server.rest.createBatches(dues.map((due) => onceAt(due))));
    await sleep(from + 5_000 - Date.now());
    const killedAt = Date.now();
    await server.kill();
    await sleep(outageMs);

    const back = Date.now();
    await server.start();
    const missed = Array.from({ length: Math.floor((back - from) / 1000) }, (_, i) => from + i * 1000);
    const expected = [
      ...recurring.flatMap((jobId) => missed.map((due) => ({ jobId, due }))),
      ...once.map((jobId, i) => ({ jobId, due: dues[i] ?? 0 })),
    ];
    let ended = 0;
    await until(back + TIMEOUT_MS + outageMs, async () => {
      ended = await endedOf(server, expected);
      return ended === expected.length;
    });
    const wanted = new Set(expected.map(keyOf));
    const starts = server.starts().filter((start) => wanted.has(keyOf(start)));
    const first = [...firstStarts(starts).values()];
    const afterwards = first.map(({ at }) => at).filter((at) => at > back);
    // Executions that started just before the kill have no recorded end, so they must run once more.
    const cutOff = new Set(first.filter(({ at }) => at > killedAt - ENDS_WITHIN_MS && at < back).map(keyOf));
    const repeated = new Set(starts.filter(({ at }) => at > back).map(keyOf));
    const necessary = [...repeated].filter((key) => cutOff.has(key)).length;
    const lost = expected.length - Math.min(ended, first.length);
    return {
      line: [
        `the server, for ${seconds(outageMs)} s; ${expected.length} due by then`,
        seconds(Math.min(...afterwards) - back),
        seconds(Math.max(...afterwards) - back),
        lost,
        starts.length - first.length - necessary,
      ],
      lost,
      durability: durabilityOf(await server.counts()),
    };
  });

async function endedOf(server: Embedded, executions: readonly Pick<Start, 'jobId' | 'due'>[]) {
  const rows = await server.rows(executions.map(({ jobId, due }) => ({ jobId, due: dueKey(due) })));
  await sleep(500); // polling must not disturb the measurement
  return rows.filter(({ status }) => isTerminal(status)).length;
}

export async function recovery({ quick, engine }: Options): Promise<Report> {
  const outageMs = quick ? 15_000 : 120_000;
  progress('recovery: kill -9');
  // The jobs of these servers only wait, so the servers do not disturb each other.
  const results = await Promise.all([
    killed('the server, 20 jobs running', 'running'),
    killed('the server, just before 20 jobs are due', 'in hand'),
    downFor(outageMs),
  ]);
  const [first] = results;
  return {
    name: 'recovery',
    command: commandOf('recovery', engine),
    tables: [
      {
        title: 'After kill -9',
        columns: ['of', 'first again after, s', 'all again after, s', 'lost', 'doubled'],
        rows: results.map(({ line }) => line),
      },
    ],
    notes: [
      `Running, and just before they are due: ${RUNNING} jobs of ${HOLD_MS / 1000} s each. The server is restarted at once. The time counts from the kill and includes the start of Node, about 0.4 s.`,
      'After an outage: the time from the start until each due occurrence has run. 10 jobs every second (overlap: queue, misfire: runAll) and 200 one-time jobs due meanwhile.',
      'Doubled: started more than once besides the repeat that the kill made necessary.',
      ...(first
        ? [
            `After the restart: ${results.map(({ durability: d }) => `${d.commits} commits of ${(d.writes / Math.max(1, d.commits)).toFixed(1)} writes, ${d.fsyncs} fsyncs`).join('; ')}. ${durabilityNote(first.durability)}`,
          ]
        : []),
    ],
    broken: results.filter(({ lost }) => lost > 0).map(({ line: [name], lost }) => `${name}: ${lost} lost`),
  };
}
