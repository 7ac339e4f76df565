// `npm run test:package`: builds and packs the package, installs it in an empty project outside of the checkout, and uses it there as
// a user would.
import { parseArgs } from 'node:util';
import { cdkChecks } from './cdk.ts';
import { Checks } from './checks.ts';
import { clientChecks } from './client.ts';
import { commandChecks } from './command.ts';
import { createConsumer } from './consumer.ts';
import { packageChecks } from './pack.ts';
import { killChildren } from './processes.ts';

const USAGE = `usage: npm run test:package -- [--keep]

Builds the package, installs it in a temporary folder and checks the command, the client,
custom tasks, types and the construct. Needs the npm registry for the dependencies.

  --keep   keep the temporary folder, and print its name
  --help   print this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(USAGE);
  const checks = new Checks();
  const consumer = createConsumer();
  try {
    await packageChecks(checks, consumer);
    if (checks.failed.length === 0) {
      await commandChecks(checks, consumer);
      await clientChecks(checks, consumer);
      await cdkChecks(checks, consumer);
    }
  } finally {
    killChildren();
    if (values.keep) console.log(`kept ${consumer.folder}`);
    else consumer.remove();
  }
  console.log(checks.summary);
  process.exitCode = checks.failed.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    killChildren();
    process.exit(1);
  });

await main();
