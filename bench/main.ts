// `npm run bench` runs the short benchmarks, and `npm run bench -- <name> …` the named ones. It prints tables, and writes
// the results of full runs to bench/results/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { api } from './api.ts';
import { cpu as cpuOnAws } from './aws/cpu.ts';
import { recovery as recoveryOnAws } from './aws/recovery.ts';
import { throughput as throughputOnAws } from './aws/throughput.ts';
import { cold } from './cold.ts';
import { conditions } from './conditions.ts';
import { consolePages } from './console.ts';
import { cost } from './cost.ts';
import { cpu } from './cpu.ts';
import { fair } from './fair.ts';
import { growth } from './growth.ts';
import { hostileRequests } from './hostile-requests.ts';
import { lateness } from './lateness.ts';
import { overload } from './overload.ts';
import { peers } from './peers.ts';
import { recovery } from './recovery.ts';
import { ENGINES, type Options, type Report, startProgress, toMarkdown } from './report.ts';
import { soak } from './soak.ts';
import { spike } from './spike.ts';
import { store } from './store.ts';
import { throughput } from './throughput.ts';

const benchmarks: Record<string, (options: Options) => Promise<Report>> = {
  lateness,
  throughput,
  fair,
  recovery,
  cost,
  cpu,
  store,
  api,
  overload,
  cold,
  growth,
  spike,
  soak,
  peers,
  console: consolePages,
  'hostile-requests': hostileRequests,
};
const ON_AWS: typeof benchmarks = {
  ...benchmarks,
  throughput: throughputOnAws,
  recovery: recoveryOnAws,
  cpu: cpuOnAws,
};
/** Benchmarks that exist only for the AWS path. */
const AWS_ONLY = ['cost', 'cold', 'growth', 'spike'];
/** Long benchmarks, which run only if they are named. */
const ON_REQUEST = ['growth', 'soak', 'peers', 'console', 'hostile-requests'];

const HELP = `usage: npm run bench [-- [--quick] [<name> …]]

names: ${Object.keys(benchmarks).join(', ')}
  without names   runs all but ${ON_REQUEST.join(', ')}, which take long
  --engine aws    run on dynoxide and fauxqs (npm run start:aws) instead of the embedded store
                  (lateness, throughput, recovery, cpu, api, overload, peers)
  --quick         run smaller and less exact benchmarks, and do not write bench/results/
  BENCH_ROUTES    for hostile-requests: only these operations, such as BENCH_ROUTES=createJob,listJobs
  --setup-peers   for peers: install missing packages (Debian packages, and npm packages into $PEERS_HOME)`;

const { values, positionals: names } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'embedded' },
    'setup-peers': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const unknown = names.filter((name) => !(name in benchmarks));
const engine = ENGINES.find((name) => name === values.engine);
if (values.help || unknown.length > 0 || !engine) {
  if (unknown.length > 0) console.error(`unknown benchmark: ${unknown.join(', ')}\n`);
  if (!engine) console.error(`--engine must be one of ${ENGINES.join(', ')}, got ${values.engine}\n`);
  (values.help ? console.log : console.error)(HELP);
  process.exit(values.help ? 0 : 2);
}
const options: Options = { quick: values.quick, engine, setupPeers: values['setup-peers'] };

const folder = new URL('results/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, run] of Object.entries(engine === 'aws' ? ON_AWS : benchmarks)) {
  if (names.length > 0 ? !names.includes(name) : ON_REQUEST.includes(name)) continue;
  const before = conditions(AWS_ONLY.includes(name) ? 'aws' : engine);
  const stopProgress = startProgress(name);
  const full = await run(options).finally(stopProgress);
  const report = options.quick ? { ...full, command: `${full.command} --quick` } : full;
  const seconds = Math.round((Date.now() - before.startedAt.getTime()) / 1000);
  const text = toMarkdown(report, before, seconds);
  if (!options.quick) {
    const file = engine === 'aws' && !AWS_ONLY.includes(name) ? `${name}-aws` : name;
    writeFileSync(new URL(`${file}.md`, folder), text);
    const all = { ...before, seconds, ...report };
    writeFileSync(new URL(`${file}.json`, folder), `${JSON.stringify(all, null, 2)}\n`);
  }
  console.log(text);
  for (const promise of report.broken ?? []) {
    console.error(`${name}: ${promise}`);
    process.exitCode = 1;
  }
}
