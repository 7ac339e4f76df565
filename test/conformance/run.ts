// `npm run test:conformance` runs the conformance suite of the store on DynamoDB Local (install-dynamodb-local.ts). Needs Java.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installDynamoDbLocal } from './install-dynamodb-local.ts';

const root = join(import.meta.dirname, '../..');

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(`usage: npm run test:conformance

Compares the DynamoDB store with DynamoDB Local. Needs Java 17. Downloads DynamoDB Local (350 MB) once; the variable
DYNAMODB_LOCAL names a folder that has it already.`);
  process.exit(0);
}
const directory = installed();
const env = { ...process.env, DYNAMODB_LOCAL: directory };
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const args = [vitest, 'run', '--config', 'test/conformance/vitest.config.ts'];
process.exit(spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);

function installed(): string {
  try {
    return installDynamoDbLocal();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
