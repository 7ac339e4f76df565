// Starts a TypeScript file for an npm script: `node bin/run.js <file.ts> [arguments]`. If `npm ci` has not been run, it says
// so. Plain JavaScript, because older versions of Node cannot run TypeScript.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MIN_MAJOR = 24;
const root = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(resolve(root, 'node_modules'))) fail('the dependencies are not installed. Run: npm ci');
if (Number(process.versions.node.split('.')[0]) < MIN_MAJOR) {
  fail(
    `Node ${MIN_MAJOR} is required, this is ${process.version}. npm ci installs it for the npm scripts: run npm ci, then start with npm`,
  );
}
const [, , file = ''] = process.argv;
// The program sees its own file name and arguments, as if it had been started directly.
process.argv.splice(1, 2, resolve(root, file));
if (process.env.npm_lifecycle_event) (await import('./stop-with-shell.js')).stopWithShell();
// Custom tasks import `punctual/tasks`, which a checkout has without a build.
await import('./from-source.js');
await import(pathToFileURL(resolve(root, file)).href);

function fail(message) {
  console.error(`punctual: ${message}`);
  process.exit(1);
}
