// The build of the console in a checkout. A build is kept in a cache folder under the hash of its sources. It is written under a
// temporary name and then renamed, so that other processes see all of it or nothing. The package has the console prebuilt.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { type ConsoleFiles, loadConsoleFiles } from '../console/console-files.ts';
import { isAlive } from './is-alive.ts';

/** The sources: the console, and what it may import (tools/check-imports.ts). The lock file stands for its packages. */
const SOURCES = [
  'console',
  'src/client',
  'src/domain',
  'src/tasks/http/signature.ts',
  'package.json',
  'package-lock.json',
];
const PROGRAM = 'console/build/main.ts';
const CACHE = 'node_modules/.cache/punctual-console';
/** A temporary name has the id of its process, so that folders of killed processes can be removed. */
const TEMPORARY = /^\.(\d+)-/;
const BUILD_DEADLINE_MS = 300_000;
const MAX_ERROR_CHARACTERS = 20_000;

/** Its message is the output of the build. */
export class ConsoleBuildError extends Error {
  override readonly name = 'ConsoleBuildError';
}

/** The folder of the build with this key, whether it exists or not. */
export const buildFolder = (root: string, key: string): string => join(root, CACHE, key);

/** A hash of the names and contents of all sources of the checkout. */
export async function sourceKey(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of await filesBelow(root, source)) {
      const content = await readFile(join(root, file));
      hash.update(`${file}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex').slice(0, 20);
}

/** The files in a stable order. A source that is a file is returned as it is. */
async function filesBelow(root: string, source: string): Promise<string[]> {
  if (/\.\w+$/.test(source)) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/** The files of the build with this key. Undefined if it is not in the cache. */
export async function cachedBuild(root: string, key: string): Promise<ConsoleFiles | undefined> {
  try {
    return await loadConsoleFiles(buildFolder(root, key));
  } catch {
    return undefined;
  }
}

/**
 * Builds the console in another process, with the lowest priority, and removes the builds of other sources. If two processes
 * build at once, the first one's result is kept. Throws ConsoleBuildError if the build fails.
 */
export async function buildConsole(root: string, key: string, signal?: AbortSignal): Promise<void> {
  const folder = buildFolder(root, key);
  const draft = join(root, CACHE, `.${process.pid}-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await runBuild(root, draft, signal);
    await rename(draft, folder).catch(async (error: unknown) => {
      if ((await cachedBuild(root, key)) === undefined) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await removeOthers(join(root, CACHE), key);
}

/** The folder of a build of the current sources. Builds it if it is not in the cache. */
export async function ensureBuild(root: string): Promise<string> {
  const key = await sourceKey(root);
  if (!(await cachedBuild(root, key))) await buildConsole(root, key);
  return buildFolder(root, key);
}

async function runBuild(root: string, folder: string, signal?: AbortSignal): Promise<void> {
  const deadline = AbortSignal.timeout(BUILD_DEADLINE_MS);
  const child = spawn(process.execPath, [join(root, PROGRAM), folder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  });
  // The scheduler of this process comes first. A platform may refuse the change.
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {}
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = `${output}${chunk}`.slice(-MAX_ERROR_CHARACTERS)));
  try {
    const [code, endedBy] = await once(child, 'close');
    if (code !== 0)
      throw new ConsoleBuildError(output.trim() || `the build ended with ${endedBy ?? `exit code ${code}`}`);
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new ConsoleBuildError(`the build took longer than ${BUILD_DEADLINE_MS / 1000} s`);
  }
}

/** Processes that serve another build have read all of it. */
async function removeOthers(cache: string, key: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const pid = Number(TEMPORARY.exec(name)?.[1] ?? 0);
    if (name !== key && !(pid > 0 && isAlive(pid)))
      await rm(join(cache, name), { recursive: true, force: true });
  }
}
