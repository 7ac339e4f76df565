// Writes the files of a program that is deployed: bundled from the source of a checkout, or copied from the package.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { SettingsError } from '../settings/settings.ts';
import { copyConsole } from './copy-console.ts';
import {
  CONSOLE_FILES,
  CUSTOM_TASKS,
  type Entry,
  type Manifest,
  OUTPUT,
  ROOT,
  WITH_TASKS,
} from './entries.ts';

const RUNTIME = join(ROOT, 'runtime');
const MANIFEST = join(RUNTIME, 'manifest.json');
/** Whether this is the package, which has prebuilt programs. */
const isPackage = existsSync(MANIFEST);

/** The folder of the Dockerfiles. */
export const DOCKERFILES = isPackage ? RUNTIME : ROOT;

/** `tasks` is the folder of custom tasks. A checkout has a default, the package has none. */
export function writeDeployedFiles(entry: Entry, folder: string, tasks?: string): void {
  const given = tasks === undefined ? [] : [existingFolder(tasks)];
  // Bundling is asynchronous and CDK's constructors are not, so it happens in another process.
  if (!isPackage) {
    run('bundle.ts', [entry, folder, ...given]);
    return;
  }
  const { entries } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
  const { main, files } = entries[entry];
  for (const file of files) copy(file, folder, file);
  copy(main, folder, OUTPUT);
  if (entry === 'console') copyConsole(join(ROOT, CONSOLE_FILES), join(folder, CONSOLE_FILES));
  if (given.length > 0 && WITH_TASKS.includes(entry))
    run('bundle-tasks.js', [...given, join(folder, CUSTOM_TASKS)]);
}

/** A folder with the Dockerfile and, if `isBundled`, the files of the worker. */
export function workerImageFolder(tasks?: string, isBundled = true): string {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-worker-'));
  cpSync(join(DOCKERFILES, 'Dockerfile'), join(folder, 'Dockerfile'));
  const app = join(folder, 'app');
  mkdirSync(app);
  if (isBundled) writeDeployedFiles('worker', app, tasks);
  return folder;
}

/** Calls `use` with the folder, and removes it afterwards. CDK has copied it by then, unless its context says otherwise. */
export function withWorkerImage<T>(
  scope: Construct,
  tasks: string | undefined,
  use: (folder: string) => T,
): T {
  const folder = workerImageFolder(tasks, Stack.of(scope).bundlingRequired);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const isCopied = !scope.node.tryGetContext('aws:cdk:disable-asset-staging');
  if (!isCopied) process.once('exit', remove);
  try {
    return use(folder);
  } finally {
    if (isCopied) remove();
  }
}

function copy(file: string, folder: string, name: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  cpSync(join(RUNTIME, file), join(folder, name));
}

/** A relative path starts at the working directory, which is the folder of `cdk.json`. */
function existingFolder(tasks: string): string {
  const folder = resolve(tasks);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new SettingsError(`tasks must be a folder of custom tasks, and ${folder} is none`);
  return folder;
}

/** Runs a program of this folder. */
function run(program: string, args: readonly string[]): void {
  try {
    execFileSync(process.execPath, [join(ROOT, 'lib/bundling', program), ...args], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer };
    throw new Error(`lib/bundling/${program} failed: ${String(stderr ?? error).trim()}`, { cause: error });
  }
}
