#!/usr/bin/env node
// Starts bin/punctual.ts in this process on Node 24 or newer. An older Node starts the Node 24 that `npm ci` installed.
// Plain JavaScript, because older versions of Node cannot run TypeScript.
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MIN_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) >= MIN_MAJOR) {
  // The compile cache halves the time of the second start.
  module.enableCompileCache();
  // If an older Node started this process (see below), the IPC channel closes when that process ends. Then this one stops.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
  await import('./punctual.ts');
} else {
  runOn(installedNode());
}

function installedNode() {
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve('node/package.json')),
      'bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    );
  } catch {
    console.error(
      `punctual: Node ${MIN_MAJOR} is required, this is ${process.version}. To install Node ${MIN_MAJOR} for Punctual, run: npm ci`,
    );
    process.exit(1);
  }
}

/** Runs this file on another Node, which inherits the terminal. Its exit code or signal ends this process. */
function runOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.once('error', (error) => {
    console.error(`punctual: cannot run ${node}: ${error.message}`);
    process.exit(1);
  });
  // The terminal sends Ctrl-C to the child, too. The server treats two signals within 500 ms as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
