// What the npm scripts start: `node bin/run.js <file.ts> [arguments]`. Says what is missing where `npm ci` has not been run,
// instead of an error about a file extension or a package. Plain JavaScript that old Nodes understand.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST = 24;
const root = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(resolve(root, 'node_modules'))) fail('the dependencies are not installed. Run: npm ci');
if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  fail(
    `Node ${OLDEST} is needed, and this is ${process.version}. Run npm ci, which installs it for the npm scripts, and start with npm`,
  );
}
const [, , file = ''] = process.argv;
// the program finds its own name and arguments where it would if it had been started directly
process.argv.splice(1, 2, resolve(root, file));
// Windows passes no signals on, and asking for the parent is expensive there
if (process.env.npm_lifecycle_event && process.platform !== 'win32') endWithShell();
await import(pathToFileURL(resolve(root, file)).href);

/**
 * npm passes SIGTERM on to the shell that it started, and the shell ends without passing it on. The program notices that
 * its parent is gone and stops as if it had got the signal.
 */
function endWithShell() {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}

function fail(sentence) {
  console.error(`punctual: ${sentence}`);
  process.exit(1);
}
