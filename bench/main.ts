// `npm run bench` runs all benchmarks, `npm run bench -- <name> …` some of them. Results: a table here, and the last ones
// in bench/results/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { api } from './api.ts';
import { cold } from './cold.ts';
import { cost } from './cost.ts';
import { type Report, toMarkdown } from './report.ts';
import { spike } from './spike.ts';

const benchmarks: Record<string, () => Promise<Report>> = { api, cold, cost, spike };

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in benchmarks));
if (unknown.length > 0 || names.includes('--help')) {
  console.error(`usage: npm run bench [-- <name> …], names: ${Object.keys(benchmarks).join(', ')}`);
  process.exit(names.includes('--help') ? 0 : 2);
}

const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}`;
const folder = new URL('results/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, run] of Object.entries(benchmarks)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const started = Date.now();
  const report = await run();
  const text = toMarkdown(report, machine, Math.round((Date.now() - started) / 1000));
  writeFileSync(new URL(`${name}.md`, folder), text);
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify({ machine, ...report }, null, 2)}\n`);
  console.log(text);
}
