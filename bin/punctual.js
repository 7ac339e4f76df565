#!/usr/bin/env node
// Starts the `punctual` command: from the bundle of the package, or from the source of a checkout. Plain JavaScript for old versions
// of Node, which get a message instead of a syntax error.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopWithShell } from './stop-with-shell.js';

const isCheckout = existsSync(new URL('punctual.ts', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);

/**
 * The package needs node:sqlite without a flag, with the timeouts and array rows of Node 22.16 and 24. undici needs 22.19. A
 * checkout runs TypeScript on the Node that it is tested with.
 */
const isSupported = isCheckout ? major >= 24 : major >= 24 || (major === 22 && minor >= 19);

// `npx punctual …`, not a program of npx that starts this one.
const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
if (event === 'npx' && /^'?punctual\b/.test(script)) stopWithShell();

if (isSupported) {
  // The compile cache halves the time of the second start.
  module.enableCompileCache();
  // If an older Node started this process (see below), the IPC channel closes when that process ends. Then this one stops.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
  if (isCheckout) {
    await import('./from-source.js');
    await import('./punctual.ts');
  } else {
    await import('../dist/runtime/punctual.mjs');
  }
} else if (isCheckout) {
  runOn(installedNode());
} else {
  fail(
    `the command needs Node 22.19 or later in 22, or Node 24 or later; this is ${process.version}. Its database is node:sqlite, which older versions lack, have behind a flag, or have without timeouts. The client (import 'punctual/client') works with Node 18.17 and later.`,
  );
}

function installedNode() {
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve('node/package.json')),
      'bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    );
  } catch {
    fail(`Node 24 is required, this is ${process.version}. To install Node 24 for Punctual, run: npm ci`);
  }
}

/** Runs this file on another Node, which inherits the terminal. Its exit code or signal ends this process. */
function runOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.once('error', (error) => fail(`cannot run ${node}: ${error.message}`));
  // The terminal sends Ctrl-C to the child, too. The server treats two signals within 500 ms as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  console.error(`punctual: ${message}`);
  process.exit(1);
}
