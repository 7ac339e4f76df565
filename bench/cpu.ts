// The CPU of an embedded server per execution: for a drain, for a steady rate of one-time jobs, and for recurring jobs.
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, type Options, progress, type Report } from './report.ts';
import { DURABILITY_COLUMNS, durabilityCells, durabilityNote } from './system/durability.ts';
import { inEmbedded } from './system/embedded.ts';
import { idsOf } from './system/rest.ts';
import { EVERY_SECOND, onceAt, type Spec } from './system/specs.ts';
import { drain, jobsPerSecond, type Measured, measure } from './throughput.ts';

const RATE = 500;
const RECURRING = 200;
/** The creates of recurring jobs plan their first minutes, about 155 occurrences each. */
const CALM_MS = 5_000;

const steady = (seconds: number): Promise<Measured> =>
  inEmbedded({}, async (server) => {
    const count = RATE * seconds;
    const first = Date.now() + count / 2 + 4_000;
    progress(`cpu: creating ${count} jobs`);
    const dues = Array.from({ length: count }, (_, i) => Math.floor(first + (i * 1_000) / RATE));
    idsOf(await server.rest.createBatches(dues.map((due) => onceAt(due))));
    // claims begin about 700 ms before the fire time
    await sleep(first - 1_500 - Date.now());
    return measure(server, `one-time, ${RATE}/s`, count, async () => {
      await sleep(first + seconds * 1_000 + 1_000 - Date.now());
      return ranAll(server.starts().length, count);
    });
  });

const recurring = (seconds: number): Promise<Measured> =>
  inEmbedded({}, async (server) => {
    progress(`cpu: creating ${RECURRING} recurring jobs`);
    idsOf(await server.rest.createBatches(Array<Spec>(RECURRING).fill(EVERY_SECOND)));
    await sleep(CALM_MS);
    const count = RECURRING * seconds;
    return measure(server, `recurring, ${RECURRING} every second`, count, async () => {
      const before = server.starts().length;
      await sleep(seconds * 1_000);
      const ran = server.starts().length - before;
      // a second may begin or end just outside of the measured time
      return Math.abs(ran - count) <= RECURRING ? undefined : `${ran} of ${count} ran`;
    });
  });

const ranAll = (ran: number, count: number) => (ran === count ? undefined : `${ran} of ${count} ran`);

export async function cpu({ quick, engine }: Options): Promise<Report> {
  const seconds = quick ? 4 : 20;
  const results = [await drain(quick ? 4_000 : 20_000), await steady(seconds), await recurring(seconds)];
  const [first] = results;
  return {
    name: 'cpu',
    command: commandOf('cpu', engine),
    tables: [
      {
        title: 'CPU of the server, ms per execution',
        columns: [
          ...['', 'executions', 'a second', 'CPU ms', 'of it requests and tasks', 'writer'],
          ...DURABILITY_COLUMNS,
        ],
        rows: results.map((r) => [
          ...[r.note ? `${r.name} (${r.note})` : r.name, r.count, jobsPerSecond(r)],
          ...[r.cpu.process, r.cpu.main, r.cpu.writer].map((ms) => ms.toFixed(3)),
          ...durabilityCells(r.durability),
        ]),
      },
    ],
    notes: [
      'The task writes its start to a file. The server is one process, so its CPU includes API, watcher, worker and store.',
      'At a steady rate a commit holds few writes, so an execution costs more than in a drain.',
      ...(first ? [durabilityNote(first.durability)] : []),
    ],
    broken: results.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : [])),
  };
}
