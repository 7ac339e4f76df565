// Ends processes: one alone, or one in a group of its own with the processes that it has started.
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

/** Sends the signal to the process, unless it has ended, and waits for its end. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** A worker polls for up to 20 s, so a drain takes at most that long without running tasks. */
const DRAIN_MS = 60_000;

/** Sends SIGTERM and resolves with the exit code. It is null if the process had to be killed after a minute. */
export async function drainProcess(child: ChildProcess): Promise<number | null> {
  const timer = setTimeout(() => child.kill('SIGKILL'), DRAIN_MS);
  await endProcess(child, 'SIGTERM');
  clearTimeout(timer);
  return child.exitCode;
}
