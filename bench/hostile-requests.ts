// The longest block of the event loop that one request can cause, for each route of the contract. A search sends every variation
// of a valid request once. The slowest of them, and the attacks that are written by hand, are then measured alone and 32 at once.
import { contract, operations } from '../src/api/contract/contract.ts';
import type { Operation } from '../src/api/contract/endpoint.ts';
import { ATTACKS, OTHER_ROUTES, type RouteAttacks } from './hostile-requests/attacks.ts';
import { type Beside, createNeighbour, measureBeside } from './hostile-requests/beside.ts';
import { type Answer, AT_ONCE, type Server, startServer } from './hostile-requests/server.ts';
import { type Attack, variations } from './hostile-requests/variations.ts';
import { commandOf, type Options, progress, type Report } from './report.ts';

/** The maximum CPU time of the main thread in one turn of the event loop. */
const LIMIT_MS = 50;
const REPEATS = 5;
/** The number of variations that are measured after the search. */
const SLOWEST = 3;
/** A search takes one of this many variations. */
const STEP = Number(process.env.BENCH_STEP ?? 1);
const QUICK_STEP = 15;
/** An attack that blocks this long is measured once, and not at once with others. */
const HOPELESS_MS = 1_000;

interface Row {
  readonly route: string;
  readonly attack: string;
  readonly bytes: number;
  readonly status: number;
  /** The longest turn with one request, and with 32 at once. */
  readonly aloneMs: number;
  readonly atOnceMs: number;
}

interface RouteResult {
  readonly route: string;
  readonly tried: number;
  readonly rows: readonly Row[];
  /** The error answer with the most bytes, and the one with the most bytes for each byte of its request. */
  readonly largestError: number;
  readonly largestRatio: number;
}

/** The ids of operations in BENCH_ROUTES, and `beside` for what another user gets. Undefined for all. */
const chosen = process.env.BENCH_ROUTES?.split(',');

/** The requests that are also measured beside another user: the largest valid job, the worst of each kind, and the cheapest. */
const BESIDE: readonly (readonly [operation: keyof typeof contract, attack: string])[] = [
  ['createJob', 'http headers of illegal names with secrets'],
  ['createJob', 'the largest valid params'],
  ['createJob', 'notifications of unknown fields'],
  ['createJobs', '100 jobs: headers of an object of illegal keys with secrets'],
  ['putNamedJob', 'params that differ in every key'],
  ['previewSchedule', 'a rate whose only allowed second is decades away'],
  ['listJobs', '100 large jobs: &status=active'],
  ['listExecutions', '100 large jobs: &status=scheduled'],
];

interface BesideRow {
  readonly name: string;
  readonly count: number;
  readonly result: Beside;
}

/** A server of its own for each attack. */
async function measureAllBeside(): Promise<BesideRow[]> {
  const rows: BesideRow[] = [];
  for (const [id, name] of [undefined, ...BESIDE].map((given) => given ?? ([undefined, 'alone'] as const))) {
    progress(`hostile-requests: beside ${name}`);
    const server = await startServer();
    try {
      const routes: RouteAttacks = id === undefined ? {} : ATTACKS[id];
      const attack = (await routes.own?.(server))?.find((one) => one.name === name);
      const neighbour = await createNeighbour(server);
      for (const count of id === undefined ? [0] : [1, AT_ONCE])
        rows.push({ name, count, result: await measureBeside(server, neighbour, attack, count) });
    } finally {
      await server.stop();
    }
  }
  return rows;
}

export async function hostileRequests({ quick }: Options): Promise<Report> {
  const forgotten = Object.keys(contract).filter((name) => !(name in ATTACKS));
  if (forgotten.length > 0) throw new Error(`routes without attacks: ${forgotten.join(', ')}`);
  const results: RouteResult[] = [];
  for (const operation of [...operations, ...OTHER_ROUTES]) {
    if (chosen && !chosen.includes(operation.id)) continue;
    const attacks: RouteAttacks = ATTACKS[operation.id as keyof typeof contract] ?? {};
    const result = await measureRoute(operation, attacks, quick);
    results.push(result);
    // a full run takes an hour, so each route is printed when it is measured
    for (const row of result.rows)
      console.error(`${row.route}\t${cells(row).join('\t')}\t${row.status}\t${row.attack}`);
  }
  return reportOf(results, !chosen || chosen.includes('beside') ? await measureAllBeside() : []);
}

async function measureRoute(
  operation: Operation,
  { valid, own }: RouteAttacks,
  quick: boolean,
): Promise<RouteResult> {
  const route = `${operation.method} ${operation.path}`;
  const server = await startServer();
  try {
    const request = (await valid?.(server)) ?? {};
    const errors: { bytes: number; ratio: number }[] = [];
    const found: { attack: Attack; ms: number }[] = [];
    let tried = 0;
    for (const attack of variations(operation, request)) {
      if (tried % (quick ? QUICK_STEP : STEP) !== 0 && tried++ > 0) continue;
      tried++;
      if (tried % 50 === 0) progress(`hostile-requests: ${route}, ${tried} tried`);
      const sent = attack.request(tried);
      const { longestMs, answers } = await server.measure([sent]);
      found.push({ attack, ms: longestMs });
      errors.push(...errorsOf(answers, sizeOf(sent)));
    }
    const slowest = found.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
    const all = [...slowest.map(({ attack }) => attack), ...((await own?.(server)) ?? [])];
    const rows: Row[] = [];
    for (const attack of all) {
      progress(`hostile-requests: ${route}, ${attack.name}`);
      rows.push({ route, ...(await measureAttack(server, attack, errors)) });
    }
    return {
      route,
      tried: tried + all.length - slowest.length,
      rows,
      largestError: Math.max(0, ...errors.map(({ bytes }) => bytes)),
      largestRatio: Math.max(0, ...errors.map(({ ratio }) => ratio)),
    };
  } finally {
    await server.stop();
  }
}

/** The request line and headers that every request has count, too. */
const sizeOf = ({ path, headers = {}, body = '' }: ReturnType<Attack['request']>): number =>
  400 + path.length + JSON.stringify(headers).length + Buffer.byteLength(body);

const errorsOf = (answers: readonly Answer[], requestBytes: number) =>
  answers
    .filter(({ status }) => status >= 400 || status === 207)
    .map(({ bytes }) => ({ bytes, ratio: bytes / requestBytes }));

async function measureAttack(
  server: Server,
  attack: Attack,
  errors: { bytes: number; ratio: number }[],
): Promise<Omit<Row, 'route'>> {
  let n = 0;
  let answer: Answer | undefined;
  async function lowest(count: number): Promise<number> {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < REPEATS; round++) {
      const requests = Array.from({ length: count }, () => attack.request(n++));
      const { longestMs, answers } = await server.measure(requests);
      answer = answers[0];
      errors.push(...errorsOf(answers, sizeOf(requests[0] ?? attack.request(n))));
      best = Math.min(best, longestMs);
      if (longestMs > HOPELESS_MS || best < LIMIT_MS / 2) break;
    }
    return best;
  }
  const aloneMs = await lowest(1);
  // the duration of each of them is known by now
  const atOnceMs = aloneMs > HOPELESS_MS ? Number.POSITIVE_INFINITY : await lowest(AT_ONCE);
  return {
    attack: attack.name,
    bytes: sizeOf(attack.request(n)),
    status: answer?.status ?? 0,
    aloneMs,
    atOnceMs,
  };
}

const isOk = ({ aloneMs, atOnceMs }: Row): boolean => aloneMs <= LIMIT_MS && atOnceMs <= LIMIT_MS;

const cells = (row: Row) => [row.aloneMs.toFixed(1), row.atOnceMs.toFixed(1), isOk(row) ? 'ok' : 'not ok'];

function reportOf(results: readonly RouteResult[], beside: readonly BesideRow[]): Report {
  const worstOf = ({ rows }: RouteResult): Row | undefined =>
    rows.toSorted((a, b) => Math.max(b.aloneMs, b.atOnceMs) - Math.max(a.aloneMs, a.atOnceMs))[0];
  const rows = results.flatMap((result) => result.rows);
  return {
    name: 'hostile-requests',
    command: commandOf('hostile-requests', 'embedded'),
    tables: [
      {
        title: `The longest turn of the event loop per route, at most ${LIMIT_MS} ms`,
        columns: [
          'route',
          'tried',
          'alone ms',
          `${AT_ONCE} at once ms`,
          '',
          'largest error, bytes',
          'bytes per byte',
          'worst request',
        ],
        rows: results.map((result) => {
          const worst = worstOf(result);
          return [
            result.route,
            result.tried,
            ...(worst ? cells(worst) : ['', '', '']),
            result.largestError,
            result.largestRatio.toFixed(2),
            worst?.attack ?? '',
          ];
        }),
      },
      {
        title: 'Another user beside an attack: 20 jobs every second, and a GET every 20 ms',
        columns: ['attack', 'at once', 'late p99 ms', 'missing', 'GET p99 ms', 'GET max ms', 'answered'],
        rows: beside.map(({ name, count, result }) => [
          name,
          count,
          Math.round(result.lateP99),
          result.missing,
          Math.round(result.getP99),
          Math.round(result.getMax),
          result.answered,
        ]),
      },
      {
        title: 'Every attack that was measured',
        columns: ['route', 'bytes', 'status', 'alone ms', `${AT_ONCE} at once ms`, '', 'request'],
        rows: rows.map((row) => [row.route, row.bytes, row.status, ...cells(row), row.attack]),
      },
    ],
    notes: [
      `Each value is CPU time of the server's main thread in one turn, the lowest of up to ${REPEATS} runs. Measuring ends early below ${LIMIT_MS / 2} ms.`,
      'The server is an embedded server of its own, freshly started for each route. A 207 counts as an error answer.',
    ],
    broken: rows
      .filter((row) => !isOk(row))
      .map(
        ({ route, attack, aloneMs, atOnceMs }) =>
          `${route}, ${attack}: ${aloneMs.toFixed(1)} ms alone, ${atOnceMs.toFixed(1)} ms with ${AT_ONCE} at once; at most ${LIMIT_MS} ms are allowed`,
      ),
  };
}
