// Measures the longest turn of the event loop, in CPU time of the main thread. `node --import` loads this file into the process
// of a server, before the server itself. The parent starts and ends a measurement over IPC.
import { isMainThread } from 'node:worker_threads';

/** The loop is quiet after this time without a turn above `BUSY_MS`. */
const QUIET_MS = 8;
const BUSY_MS = 1;
/** The end of a measurement waits no longer than this for a quiet loop. */
const MAX_WAIT_MS = 20_000;

let longestMs = 0;
let measuring = false;
let startedAt = { cpu: 0, wall: 0 };
let busyAt = 0;

function times(): typeof startedAt {
  const { user, system } = process.threadCpuUsage();
  return { cpu: (user + system) / 1000, wall: performance.now() };
}

/** A callback of the check phase runs once per turn. While it is scheduled, the loop never waits for events. */
function turn(): void {
  if (!measuring) return;
  const now = times();
  // the kernel adds CPU time in steps of up to 4 ms, so a short turn may seem to have the time of earlier ones
  const ms = Math.min(now.cpu - startedAt.cpu, now.wall - startedAt.wall);
  startedAt = now;
  longestMs = Math.max(longestMs, ms);
  if (ms > BUSY_MS) busyAt = performance.now();
  setImmediate(turn);
}

function begin(): void {
  measuring = true;
  longestMs = 0;
  busyAt = performance.now();
  // the first turn has the work of this message
  setImmediate(() => {
    startedAt = times();
    setImmediate(turn);
    process.send?.({ begun: true });
  });
}

function end(): void {
  const askedAt = performance.now();
  busyAt = askedAt;
  const check = setInterval(() => {
    const now = performance.now();
    if (now - busyAt < QUIET_MS && now - askedAt < MAX_WAIT_MS) return;
    clearInterval(check);
    measuring = false;
    process.send?.({ longestMs });
  }, 2);
}

if (isMainThread && process.send) {
  process.on('message', (message) => {
    if (message === 'begin') begin();
    if (message === 'end') end();
  });
  process.channel?.unref();
}
