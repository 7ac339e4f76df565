// The ports of this machine that the scheduler itself listens on: its engines, which answer everybody, and its APIs. Jobs may
// call loopback, but not these. An API may run in any process of the data folder, so each leaves a file there.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoints } from './config.ts';
import type { Running } from './run.ts';

const FILE = /^api-(\d+)\.port$/;

/** Says which port the API of this process has, until the process stops. */
export function announceApi(dataFolder: string, url: string, running: Running): void {
  const file = join(dataFolder, `api-${process.pid}.port`);
  writeFileSync(file, portOf(url).toString());
  running.defer(() => rmSync(file, { force: true }));
}

/** Read at every call: an API may start later than a worker. An embedded server has no engines. */
export function ownPorts(dataFolder: string, engines?: Endpoints): () => ReadonlySet<number> {
  const ofEngines = engines ? [portOf(engines.dynamodb), portOf(engines.sqs)] : [];
  return () => new Set([...ofEngines, ...apiPorts(dataFolder)]);
}

/** A file that a killed process has left behind says nothing. */
function apiPorts(dataFolder: string): number[] {
  return namesIn(dataFolder).flatMap((name) => {
    const pid = Number(FILE.exec(name)?.[1]);
    return pid && isAlive(pid) ? [Number(contentOf(join(dataFolder, name)))] : [];
  });
}

/** A worker on other engines may have no data folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty when the process has just stopped. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // that of another user, for whom signals are not ours to send
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
