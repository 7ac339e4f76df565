// CPU time of processes, from /proc.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

let tickMs: number | undefined;

interface Stat {
  readonly parent: number;
  readonly ms: number;
}

function statOf(pid: number): Stat | undefined {
  tickMs ??= 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name, in parentheses, may hold anything
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * tickMs };
  } catch {
    return undefined; // gone
  }
}

/** So far, in user and system mode. */
export const cpuMs = (pid: number): number => statOf(pid)?.ms ?? 0;

export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((other) => statOf(other)?.parent === pid);
}
