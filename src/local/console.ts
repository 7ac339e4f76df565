// The console of local mode. The package has it prebuilt. A checkout builds it at the first request, and again after a change of
// its sources, while pages say so.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ApiHandler } from '../api/http/http-event.ts';
import { loadConsoleFiles } from '../console/console-files.ts';
import { type ConsoleOptions, type ConsoleState, createConsole, isForConsole } from '../console/handler.ts';
import { VERSION } from '../runtime/version.ts';
import type { Log } from '../scheduling/context.ts';
import { buildConsole, cachedBuild, sourceKey } from './console-build.ts';

/** `dist/console` of the package, as seen from `dist/runtime`. In a checkout it is `src/console`, which has no `index.html`. */
const PREBUILT = resolve(import.meta.dirname, '../console');
const CHECKOUT = resolve(import.meta.dirname, '../..');
/** The sources are compared at most this often. */
const KEY_LIFETIME_MS = 1_000;

/** Passes requests for the console to it, and all others to the API. */
export function withConsole(
  api: ApiHandler,
  operatorsGroup: string,
  stopping: AbortSignal,
  log: Log,
): ApiHandler {
  const state = existsSync(join(PREBUILT, 'index.html'))
    ? prebuilt(PREBUILT)
    : builtOnDemand(CHECKOUT, stopping, log);
  const serve = createConsole({
    config: { auth: { kind: 'local' }, operatorsGroup, version: VERSION },
    state: () => state().catch((error: unknown) => failure(error, log)),
  });
  return (event, context) => (isForConsole(event) ? serve(event, context) : api(event, context));
}

function prebuilt(folder: string): ConsoleOptions['state'] {
  let files: ReturnType<typeof loadConsoleFiles> | undefined;
  return async () => {
    files ??= loadConsoleFiles(folder);
    return { kind: 'ready', files: await files };
  };
}

/** The result of the last build. Sources with the same key are not built again, also after a failure. */
interface Result {
  readonly key: string;
  readonly state: ConsoleState;
}

export function builtOnDemand(root: string, stopping: AbortSignal, log: Log): ConsoleOptions['state'] {
  let last: Result | undefined;
  let building = false;
  let known: { readonly key: Promise<string>; readonly until: number } | undefined;

  const currentKey = (): Promise<string> => {
    const now = performance.now();
    if (!known || now >= known.until) known = { key: sourceKey(root), until: now + KEY_LIFETIME_MS };
    return known.key;
  };
  const build = async (key: string): Promise<ConsoleState> => {
    try {
      await buildConsole(root, key, stopping);
      const files = await cachedBuild(root, key);
      if (!files) throw new Error('the build wrote no index.html');
      return { kind: 'ready', files };
    } catch (error) {
      return failure(error, stopping.aborted ? undefined : log);
    }
  };
  return async () => {
    const key = await currentKey();
    if (last?.key === key) return last.state;
    if (building) return { kind: 'building' };
    building = true;
    const files = await cachedBuild(root, key);
    if (files) {
      last = { key, state: { kind: 'ready', files } };
      building = false;
      return last.state;
    }
    void build(key).then((state) => {
      last = { key, state };
      building = false;
    });
    return { kind: 'building' };
  };
}

function failure(error: unknown, log: Log | undefined): ConsoleState {
  log?.error('failed to build or read the console', { error });
  return { kind: 'failed', error: error instanceof Error ? error.message : String(error) };
}
