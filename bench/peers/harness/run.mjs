// Usage: node run.mjs [--only bullmq,pg-boss] [--workloads A,C] [--quick] [--calm seconds] [--out results.json]
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PEERS_HOME, sleep } from './util.mjs';

const PEERS = ['bullmq', 'pg-boss', 'graphile-worker', 'agenda'];

const FULL = {
  rates: [50, 250, 1000],
  windowMs: 12_000,
  burst: 5000,
  drain: 20_000,
  create: 20_000,
  recurringSeconds: 20,
  crashProfiles: ['crashDefault', 'crashTuned'],
  crashLimit: 95_000,
};
const QUICK = {
  rates: [50, 1000],
  windowMs: 2000,
  burst: 1000,
  drain: 2000,
  create: 2000,
  recurringSeconds: 3,
  crashProfiles: ['crashTuned'],
  crashLimit: 20_000,
};

const node = `${PEERS_HOME}/node_modules/node/bin/node`;
if (!existsSync(node)) {
  console.error(`Nothing in ${PEERS_HOME}: run ./setup.sh first.`);
  process.exit(1);
} else if (realpathSync(process.execPath) !== realpathSync(node)) {
  // Some peers need a newer Node than the one that was called.
  const hook = new URL('./resolve-hook.mjs', import.meta.url).href;
  const again = spawn(node, ['--import', hook, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => again.kill(signal));
  again.on('exit', (code) => process.exit(code ?? 1));
} else {
  await main();
}

async function main() {
  const text = { type: 'string' };
  const { values: args } = parseArgs({
    options: {
      only: text,
      workloads: text,
      out: text,
      calm: text,
      quick: { type: 'boolean', default: false },
    },
  });
  const { cpuMs, startPostgres, startRedis } = await import('./stores.mjs');
  const { crashRecovery, enqueue, latenessOver, recurring, throughput } = await import('./workloads.mjs');
  const { DISTURBED_CORES, markdown } = await import('./report.mjs');
  const sizes = args.quick ? QUICK : FULL;
  const wanted = new Set(args.workloads?.split(',') ?? 'ABCDFG');
  const adapters = await Promise.all(
    (args.only?.split(',') ?? PEERS).map((name) => import(`./adapters/${name}.mjs`)),
  );

  const began = Date.now();
  const report = {
    startedAt: new Date().toISOString(),
    cpus: cpus().length,
    node: process.version,
    quick: args.quick,
    stores: {},
    peers: {},
  };
  const stores = {};
  const dir = mkdtempSync(`${tmpdir()}/peers-run-`);
  chmodSync(dir, 0o755); // PostgreSQL runs under another account

  /** Runs one workload of a peer if it is selected, and records how many cores other programs used meanwhile. */
  async function measure({ name, store }, key, body) {
    if (!wanted.has(key[0])) return;
    const others = () => cpuMs() - cpuMs([process.pid]);
    const othersOver = async (ms, before = others()) => {
      await sleep(ms);
      return (others() - before) / ms;
    };
    // --calm: on a shared machine, start no workload while other programs are busy, for at most this long.
    while (Date.now() < began + Number(args.calm ?? 0) * 1000 && (await othersOver(2000)) > DISTURBED_CORES);
    const at = Date.now();
    const before = others();
    const result = await body({
      adapter: adapters.find((adapter) => adapter.name === name),
      store: stores[store],
    }).catch((error) => ({ failed: error.message.split('\n')[0] }));
    const ms = Date.now() - at;
    result.otherCores = Math.max(0, (others() - before) / ms);
    report.peers[name].results[key] = result;
    console.error(`${name} ${key}: ${(ms / 1000).toFixed(1)} s ${JSON.stringify(result)}`);
  }

  try {
    const starters = { redis: startRedis, postgres: startPostgres };
    for (const adapter of adapters) {
      const { name, version, store, notes, profiles } = adapter;
      stores[store] ??= await (adapter.startStore ?? starters[store])(`${dir}/${store}`);
      report.stores[store] = { version: stores[store].version, settings: stores[store].settings };
      report.peers[name] = { version, store, notes, profiles, results: {} };
    }
    for (const adapter of adapters) {
      const { windowMs } = sizes;
      for (const rate of sizes.rates) {
        await measure(adapter, `A${rate}`, (ctx) =>
          latenessOver(ctx, { count: (rate * windowMs) / 1000, windowMs }),
        );
      }
      await measure(adapter, 'B', (ctx) => latenessOver(ctx, { count: sizes.burst, windowMs: 0 }));
      await measure(adapter, 'C', (ctx) => throughput(ctx, { count: sizes.drain, limit: 25_000 }));
      await measure(adapter, 'Dbulk', (ctx) => enqueue(ctx, { count: sizes.create, singly: false }));
      await measure(adapter, 'Dsingle', (ctx) => enqueue(ctx, { count: sizes.create, singly: true }));
      if (adapter.open('x://x', {}).createRecurring) {
        await measure(adapter, 'G', (ctx) => recurring(ctx, { count: 200, seconds: sizes.recurringSeconds }));
      }
    }
    // All peers at once: these jobs only sleep, so they do not disturb each other.
    await Promise.all(
      adapters.flatMap((adapter) =>
        sizes.crashProfiles.map((profile) =>
          measure(adapter, `F${profile}`, (ctx) =>
            crashRecovery(ctx, profile, { count: 20, hold: 60_000, limit: sizes.crashLimit }),
          ),
        ),
      ),
    );
  } finally {
    await Promise.all(Object.values(stores).map((store) => store.stop()));
    rmSync(dir, { recursive: true, force: true });
  }
  report.seconds = Math.round((Date.now() - began) / 1000);
  if (args.out) writeFileSync(args.out, JSON.stringify(report, null, 2));
  console.log(markdown(report));
}
