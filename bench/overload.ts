// Overload of creates. Measures the highest rate of single creates with a p99 below one second, and the goodput (creates
// answered with 201) at twice that rate. The load is open loop: requests are sent by the clock, whether earlier ones were
// answered or not, as many clients do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { signToken, tokenKey } from '../src/local/tokens.ts';
import { startLocal } from './local-server.ts';
import { type Options, progress, type Report } from './report.ts';

const P99_LIMIT_MS = 1000;
/** The maximum loss of goodput, as a share of the sustained rate. */
const MAX_LOSS = 0.2;
const TICK_MS = 20;
const FIRST_RATE = 100;
const STEP = 1.3;

interface Measured {
  readonly rate: number;
  readonly created: number;
  readonly refused: number;
  readonly failed: number;
  /** Creates per second of the offered time. */
  readonly goodput: number;
  readonly p99: number;
  readonly slowestRefusal: number;
}

export async function overload({ quick, engine }: Options): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-bench-'));
  const local = await startLocal(folder, engine);
  const agent = new Agent({ connections: 256 });
  try {
    const token = await signToken(await tokenKey(folder), 'bench');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const offer = (rate: number, seconds: number) =>
      offered(`${local.url}/jobs`, agent, headers, rate, seconds);
    progress('overload: warming up');
    await offer(FIRST_RATE, 3);
    let sustained: Measured | undefined;
    for (let rate = FIRST_RATE; rate < 20_000; rate = Math.round(rate * STEP)) {
      progress(`overload: ${rate} creates per second`);
      const measured = await offer(rate, quick ? 3 : 8);
      await sleep(1000);
      const keepsUp = measured.p99 < P99_LIMIT_MS && measured.refused + measured.failed === 0;
      if (!keepsUp) break;
      sustained = measured;
    }
    if (!sustained)
      throw new Error(`not even ${FIRST_RATE} creates per second keep p99 below ${P99_LIMIT_MS} ms`);
    progress(`overload: ${2 * sustained.rate} creates per second`);
    const doubled = await offer(2 * sustained.rate, quick ? 6 : 20);
    return report(sustained, doubled);
  } finally {
    await agent.close();
    await local.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function offered(
  url: string,
  dispatcher: Agent,
  headers: Record<string, string>,
  rate: number,
  seconds: number,
): Promise<Measured> {
  const body = JSON.stringify({ task: 'noop', schedule: { every: 'P1D', startAt: '2030-01-01T00:00:00Z' } });
  const answers: { status: number; ms: number }[] = [];
  const one = async () => {
    const began = performance.now();
    const status = await request(url, { dispatcher, method: 'POST', headers, body }).then(
      async (response) => {
        await response.body.dump();
        return response.statusCode;
      },
      () => 0,
    );
    answers.push({ status, ms: performance.now() - began });
  };
  const sent: Promise<void>[] = [];
  const start = performance.now();
  const total = rate * seconds;
  while (sent.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * rate));
    while (sent.length < due) sent.push(one());
    await sleep(TICK_MS);
  }
  await Promise.all(sent);
  const of = (wanted: (status: number) => boolean) => answers.filter(({ status }) => wanted(status));
  const created = of((status) => status === 201);
  const refused = of((status) => status === 503);
  const times = created.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    rate,
    created: created.length,
    refused: refused.length,
    failed: answers.length - created.length - refused.length,
    goodput: created.length / seconds,
    p99: times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY,
    slowestRefusal: Math.max(0, ...refused.map(({ ms }) => ms)),
  };
}

function report(sustained: Measured, doubled: Measured): Report {
  const row = (what: string, m: Measured) => [
    what,
    m.rate,
    Math.round(m.goodput),
    Math.round(m.p99),
    m.refused,
    Math.round(m.slowestRefusal),
    m.failed,
  ];
  const share = doubled.goodput / sustained.goodput;
  return {
    name: 'overload',
    command: 'npm run bench -- overload',
    tables: [
      {
        title: 'Single creates over REST, open loop',
        columns: ['', 'offered/s', 'created/s', 'p99 ms', 'refused (503)', 'slowest refusal ms', 'failed'],
        rows: [row('highest rate with p99 below 1 s', sustained), row('twice that rate', doubled)],
      },
    ],
    notes: [
      `Goodput at twice the rate: ${Math.round(share * 100)} % of the sustained rate.`,
      'The load generator, the server and its store share this machine.',
    ],
    ...(share < 1 - MAX_LOSS && {
      broken: [
        `goodput fell to ${Math.round(share * 100)} % under overload; at least ${100 * (1 - MAX_LOSS)} % is guaranteed`,
      ],
    }),
  };
}
