// What another user gets beside an attack: the lateness of jobs that run every second, and the duration of GETs.
import { setTimeout as sleep } from 'node:timers/promises';
import { ascending, rank } from '../report.ts';
import type { Caller, Server } from './server.ts';
import type { Attack } from './variations.ts';

const JOBS = 20;
const WINDOW_MS = 6_000;
/** A pause between two GETs, so that they are no load of their own. */
const BETWEEN_GETS_MS = 20;
const MAX_PAGES = 40;

export interface Beside {
  readonly lateP99: number;
  readonly getP99: number;
  readonly getMax: number;
  /** Starts of the window without an execution. */
  readonly missing: number;
  /** Requests of the attack that were answered. */
  readonly answered: number;
}

/** Creates the jobs of the other user. */
export async function createNeighbour(server: Server): Promise<Caller> {
  const neighbour = await server.as('alice');
  for (let n = 0; n < JOBS; n++)
    await neighbour.call('POST', '/jobs', { task: 'noop', schedule: { every: 'PT1S' } });
  await sleep(3_000);
  return neighbour;
}

/** `count` requests of the attack are always under way. */
export async function measureBeside(
  server: Server,
  neighbour: Caller,
  attack: Attack | undefined,
  count: number,
): Promise<Beside> {
  const from = Math.ceil((Date.now() + 200) / 1000) * 1000;
  const end = from + WINDOW_MS;
  let answered = 0;
  async function attacker(): Promise<void> {
    while (attack && Date.now() < end) {
      await server.send(attack.request(answered));
      answered++;
    }
  }
  const gets: number[] = [];
  async function getter(): Promise<void> {
    while (Date.now() < end) {
      const began = performance.now();
      await neighbour.send({ method: 'GET', path: '/jobs?limit=20' });
      gets.push(performance.now() - began);
      await sleep(BETWEEN_GETS_MS);
    }
  }
  await Promise.all([getter(), ...Array.from({ length: count }, attacker)]);
  await sleep(1_500);
  const late = await lateness(neighbour, from, end);
  const sorted = ascending(gets);
  return {
    lateP99: rank(ascending(late), 0.99),
    getP99: rank(sorted, 0.99),
    getMax: sorted.at(-1) ?? Number.NaN,
    missing: (JOBS * WINDOW_MS) / 1000 - late.length,
    answered,
  };
}

interface Page {
  readonly items: readonly { readonly latenessMs?: number }[];
  readonly nextCursor?: string;
}

async function lateness(neighbour: Caller, from: number, to: number): Promise<number[]> {
  const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  const late: number[] = [];
  let cursor = '';
  for (let n = 0; n < MAX_PAGES; n++) {
    const page: Page = await neighbour.call('GET', `/executions?limit=100&${range}${cursor}`);
    for (const { latenessMs } of page.items) if (latenessMs !== undefined) late.push(latenessMs);
    if (page.nextCursor === undefined) break;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  return late;
}
