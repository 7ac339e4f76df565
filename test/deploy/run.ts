// `npm run test:deploy`: deploys the stack with the CDK to MiniStack, an emulator of AWS from PyPI, and uses it as its clients do.
// - `default`: the stack with the default settings.
// - `full`: the stack with scripts, a KMS key, tracing, an event bus, a canary and targets of tasks.
// - `iam`: the same stack on an emulator that enforces IAM. Functions and workers use sessions of their roles.
// It needs python3 and PyPI, and no Docker. Everything that it starts or creates is removed, except the Python packages in
// the user's cache folder.
import { parseArgs } from 'node:util';
import { Cleanup } from './cleanup.ts';
import { bootstrap, type Deployment, deploy, destroy, type StackName } from './deployment.ts';
import { IAM_DIFFERENCES, UNKNOWN } from './emulator/differences.ts';
import { type Emulator, startEmulator } from './emulator/ministack.ts';
import { emulatorPython } from './emulator/python.ts';
import { stopPrograms } from './programs.ts';
import { Report } from './report.ts';
import { type Part, printResources } from './resources.ts';
import { useDefault, useFull, useWithIam } from './scenario/scenarios.ts';
import type { Site } from './site.ts';

const PARTS: readonly Part[] = ['default', 'full', 'iam'];
const SCENARIOS = { default: useDefault, full: useFull, iam: useWithIam };

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help || (values.only !== undefined && !PARTS.includes(values.only as Part))) {
  console.log(`usage: npm run test:deploy [-- --only ${PARTS.join('|')}]

Deploys the stack to an emulator of AWS, and uses it end to end. Needs python3 and PyPI.`);
  process.exit(values.help ? 0 : 2);
}
const parts = PARTS.filter((part) => values.only === undefined || values.only === part);
const report = new Report();
const cleanup = new Cleanup();
cleanup.onSignals(stopPrograms);
const used: { part: Part; deployment: Deployment; site: Site }[] = [];

async function start(enforceIam: boolean): Promise<Emulator> {
  const step = report.part(enforceIam ? 'emulator with IAM' : 'emulator');
  const emulator = await step('start MiniStack', () => startEmulator(cleanup, { enforceIam }));
  await step('cdk bootstrap', () => bootstrap(emulator, cleanup));
  return emulator;
}

async function use(part: Part, emulator: Emulator): Promise<void> {
  const step = report.part(part);
  const stack: StackName = part === 'default' ? 'default' : 'full';
  const deployment = await deploy(stack, emulator, step, cleanup);
  const site = await SCENARIOS[part](deployment, step, cleanup);
  used.push({ part, deployment, site });
}

/** Runs the parts beside each other on one emulator. They mostly wait. */
async function run(group: readonly Part[], enforceIam: boolean): Promise<void> {
  if (group.length === 0) return;
  try {
    const emulator = await start(enforceIam);
    // All parts end before anything is removed.
    const results = await Promise.allSettled(group.map((part) => use(part, emulator)));
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (errors.length > 0) console.error(`\nthe end of the emulator's log:\n${emulator.log().slice(-4000)}`);
    if (errors.length > 0) throw new AggregateError(errors, 'parts of the run failed');
    for (const { part, deployment } of used.filter((one) => group.includes(one.part)))
      await destroy(deployment, report.part(part));
  } finally {
    await cleanup.run();
  }
}

try {
  await report.part('emulator')('install the pinned Python packages, unless they are cached', () =>
    emulatorPython(),
  );
  await run(
    parts.filter((part) => part !== 'iam'),
    false,
  );
  await run(
    parts.filter((part) => part === 'iam'),
    true,
  );
} catch (error) {
  process.exitCode = 1;
  if (!(error instanceof AggregateError)) console.error(error);
} finally {
  for (const { part, deployment, site } of used) printResources(part, deployment, site);
  console.log('\nNot deployable on the emulator, with its error:');
  for (const { type, property, error } of UNKNOWN)
    console.log(`- ${type}${property ? ` with ${property}` : ''}: ${error}`);
  console.log('\nDifferences with IAM enforced:');
  for (const { what, reason } of IAM_DIFFERENCES) console.log(`- ${what}. Reason: ${reason}`);
  report.print();
}
