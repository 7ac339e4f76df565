// The ports of this machine that the scheduler itself listens on: those of its engines, which need no credentials, and those of
// its APIs. Jobs may call other loopback ports, but not these. Each process with an API writes its URL into the data folder.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoints } from './config.ts';
import { isAlive } from './is-alive.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';

const URL_FILE = /^api-(\d+)\.url$/;

/** Writes the URL of this process's API into the data folder. The file is removed when the process stops. */
export function recordApiUrl(dataFolder: string, url: string, lifecycle: ProcessLifecycle): void {
  const file = join(dataFolder, `api-${process.pid}.url`);
  writeFileSync(file, url, { mode: 0o600 });
  lifecycle.defer(() => rmSync(file, { force: true }));
}

/** The files are read at every call, because an API may start later than a worker. An embedded server has no engines. */
export function schedulerPorts(dataFolder: string, engines?: Endpoints): () => ReadonlySet<number> {
  const enginePorts = engines ? [portOf(engines.dynamodb), portOf(engines.sqs)] : [];
  return () => new Set([...enginePorts, ...apiUrls(dataFolder).map(portOf)]);
}

/**
 * The URLs of the APIs of this data folder, without those of killed processes. Another program may listen there since: only
 * `proveServer` tells.
 */
export function apiUrls(dataFolder: string): string[] {
  return namesIn(dataFolder).flatMap((name) => {
    const pid = Number(URL_FILE.exec(name)?.[1]);
    const url = pid && isAlive(pid) ? contentOf(join(dataFolder, name)) : '';
    return URL.canParse(url) ? [url] : [];
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
