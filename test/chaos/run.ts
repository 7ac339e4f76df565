// `npm run test:chaos [-- --kills 200]`: the kills of chaos.test.ts, many more of them. FAULT_SEED repeats the choices of a run.
import { parseArgs } from 'node:util';
import { randomOf, SEED } from '../support/faults/random.ts';
import { chaos } from './chaos.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log(`usage: npm run test:chaos -- [--kills <n>]

Kills the embedded server with SIGKILL under load, restarts it and checks that every promise holds.
FAULT_SEED repeats the random choices of an earlier run.

  --kills <n>  number of kills (default 200)`);
  process.exit(0);
}
const kills = Number(values.kills);
if (!Number.isInteger(kills) || kills < 1) {
  console.error(`--kills must be a whole number from 1 on, got ${values.kills}`);
  process.exit(2);
}
console.log(`FAULT_SEED=${SEED}, ${kills} kills`);
const began = Date.now();
const { broken, ...result } = await chaos(kills, randomOf('chaos'), (line) => console.log(line));
console.log(JSON.stringify({ seconds: Math.round((Date.now() - began) / 1_000), ...result }, undefined, 2));
for (const line of broken.slice(0, 100)) console.error(line);
console.log(broken.length === 0 ? 'every promise was kept' : `${broken.length} broken promises`);
process.exitCode = broken.length === 0 ? 0 : 1;
