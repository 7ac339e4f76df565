#!/usr/bin/env node
// Starts bin/punctual.ts: in this process when its Node runs TypeScript, else on the Node 24 that `npm ci` has installed.
// Plain JavaScript that old Nodes understand.
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST = 24;

if (Number(process.versions.node.split('.')[0]) >= OLDEST) {
  // what was compiled once is kept: the second start takes half the time
  module.enableCompileCache();
  // started by an older Node (see below): when that one is gone, however it went, this one has to go too
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
  await import('./punctual.ts');
} else {
  handOver(ownNode());
}

function ownNode() {
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve('node/package.json')),
      'bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    );
  } catch {
    console.error(
      `punctual: Node ${OLDEST} is needed, this is ${process.version}, and the one of the package "node" is not installed: run npm ci`,
    );
    process.exit(1);
  }
}

/** Waits beside it: the other process has the terminal, and its end is ours. */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.once('error', (error) => {
    console.error(`punctual: ${node} cannot be run: ${error.message}`);
    process.exit(1);
  });
  // Ctrl-C reaches the child by itself too; it takes two at once for one
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
