// Processes in groups of their own, so that the processes that they start end with them.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const STOP_MS = 10_000;

/** Ends a process that was started with `detached`, and kills what is left of its group. */
export async function stopGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const ended = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit');
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
  signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
