// kill -9 of the embedded server again and again, at moments that a seed chooses, while clients create jobs over REST. Then
// everything must come to its end, and every promise is checked.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenKey } from '../../src/local/tokens.ts';
import { brokenOf, look, openOf } from './check.ts';
import { Clients } from './clients.ts';
import { Server } from './server.ts';

/** When the server is killed. */
const MOMENTS = ['after a 201', 'working', 'after a 202', 'at a fire time', 'starting', 'working'] as const;
const CLIENTS = 4;
/** No moment takes longer to come: a server that answers nothing is a finding. */
const MOMENT_WITHIN_MS = 120_000;
/** Tasks take 1.2 s at most, and up to 8 occurrences of a job run one after the other. */
const ENDS_WITHIN_MS = 90_000;

export interface Result {
  readonly kills: Readonly<Record<string, number>>;
  readonly jobs: number;
  readonly accepted: number;
  readonly byHand: number;
  readonly runs: number;
  /** The longest time from a start of the server to the start of a task that was due by then. */
  readonly slowestAfterStartMs: number;
  readonly broken: readonly string[];
}

export async function chaos(
  kills: number,
  random: () => number,
  progress: (line: string) => void = () => {},
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-chaos-'));
  const server = new Server(folder);
  appendFileSync(server.evidence, '');
  const clients = new Clients(server, await tokenKey(server.folder), random);
  const ending = new AbortController();
  server.start();
  const working = Promise.all(Array.from({ length: CLIENTS }, () => clients.work(ending.signal)));
  const counts: Record<string, number> = {};
  try {
    for (let kill = 0; kill < kills; kill++) {
      const moment = MOMENTS[kill % MOMENTS.length] ?? 'working';
      const late = sleep(MOMENT_WITHIN_MS, 'late', { ref: false });
      if ((await Promise.race([theMoment(moment, server, clients, random), working, late])) === 'late')
        throw new Error(`no moment "${moment}" came within ${MOMENT_WITHIN_MS} ms:\n${server.output}`);
      if (!(await server.kill())) throw new Error(`the server has ended by itself:\n${server.output}`);
      counts[moment] = (counts[moment] ?? 0) + 1;
      server.start();
      if ((kill + 1) % 10 === 0) progress(`${kill + 1} kills, ${clients.jobs.length} jobs acknowledged`);
    }
    await server.url();
    ending.abort();
    await working;
    let seen = await look(server, clients);
    for (let waited = 0; openOf(seen).length > 0 && waited < ENDS_WITHIN_MS; waited += 1_000) {
      await sleep(1_000);
      seen = await look(server, clients);
    }
    const broken = brokenOf(seen, clients);
    if ((await server.stop()) !== 0) broken.push('the server did not stop with 0');
    if (broken.length > 0) broken.push(`the servers have printed:\n${server.output}`);
    return {
      kills: counts,
      jobs: seen.jobs.length,
      accepted: clients.jobs.filter(({ status }) => status === 202).length,
      byHand: clients.byHand.length,
      runs: seen.runs.length,
      slowestAfterStartMs: slowestAfterStart(server, seen.runs),
      broken,
    };
  } finally {
    ending.abort();
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function theMoment(
  moment: (typeof MOMENTS)[number],
  server: Server,
  clients: Clients,
  random: () => number,
): Promise<void> {
  if (moment === 'starting') return sleep(random() * 1_200);
  await server.url();
  await sleep(random() * 1_500);
  if (moment === 'working') return sleep(random() * 1_500);
  const { promise, resolve } = Promise.withResolvers<void>();
  if (moment === 'at a fire time') setTimeout(resolve, 1_000 - (Date.now() % 1_000) + random() * 25);
  const status = moment === 'after a 201' ? 201 : 202;
  clients.onAnswer = (answered) => {
    if (moment !== 'at a fire time' && answered === status) resolve();
  };
  await promise;
  clients.onAnswer = () => {};
}

/** Of first attempts, which wait for no other run of their job and no backoff. */
function slowestAfterStart(server: Server, runs: Awaited<ReturnType<typeof look>>['runs']): number {
  const begun = new Set<string>();
  let slowest = 0;
  for (const run of runs.toSorted((a, b) => a.at - b.at)) {
    const up = server.listening.get(run.pid);
    if (!begun.has(run.jobId) && up !== undefined && run.due <= up) slowest = Math.max(slowest, run.at - up);
    begun.add(run.jobId);
  }
  return slowest;
}
