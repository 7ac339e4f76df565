// The ports of this machine that the scheduler itself listens on: those of its engines, which need no credentials, and those of
// its APIs. Jobs may call other loopback ports, but not these. Each process with an API writes its port into the data folder.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoints } from './config.ts';
import { isAlive } from './is-alive.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';

const PORT_FILE = /^api-(\d+)\.port$/;

/** Writes the port of this process's API into the data folder. The file is removed when the process stops. */
export function recordApiPort(dataFolder: string, url: string, lifecycle: ProcessLifecycle): void {
  const file = join(dataFolder, `api-${process.pid}.port`);
  writeFileSync(file, portOf(url).toString());
  lifecycle.defer(() => rmSync(file, { force: true }));
}

/** The files are read at every call, because an API may start later than a worker. An embedded server has no engines. */
export function schedulerPorts(dataFolder: string, engines?: Endpoints): () => ReadonlySet<number> {
  const enginePorts = engines ? [portOf(engines.dynamodb), portOf(engines.sqs)] : [];
  return () => new Set([...enginePorts, ...apiPorts(dataFolder)]);
}

/** The ports of the APIs of this data folder. Ignores the files of killed processes. */
export function apiPorts(dataFolder: string): number[] {
  return namesIn(dataFolder).flatMap((name) => {
    const pid = Number(PORT_FILE.exec(name)?.[1]);
    return pid && isAlive(pid) ? [Number(contentOf(join(dataFolder, name)))] : [];
  });
}

/** Empty if there is no such folder: a worker on external endpoints may have none. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty if the process has just stopped and removed the file. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
