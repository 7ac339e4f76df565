// CPU time of processes, from /proc.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

let tickMs: number | undefined;
function tick(): number {
  tickMs ??= 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return tickMs;
}

interface Stat {
  readonly parent: number;
  readonly ms: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * tick() };
  } catch {
    return undefined; // the process has ended
  }
}

/** The CPU time of all processes since the start of the machine. */
export function allCpuMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number) ?? [];
  return (user + nice + system + irq + softirq) * tick();
}

/** The CPU time of a process in user and system mode. */
export const cpuMs = (pid: number): number => statOf(pid)?.ms ?? 0;

export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((other) => statOf(other)?.parent === pid);
}
