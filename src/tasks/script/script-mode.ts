// The mode in which this machine runs scripts: trusted if the configuration says so, isolated if bwrap works, else refused.
import { closeSync, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { isolated } from './script-isolated.ts';
import { localScripts } from './script-local.ts';
import { findProgram, type Launcher } from './script-supervised.ts';
import { trusted } from './script-trusted.ts';

/** `summary` is a sentence for the person who starts the server. It names the mode and its reason. */
export type ScriptMode =
  | { readonly name: 'isolated' | 'trusted'; readonly summary: string; readonly launch: Launcher }
  | { readonly name: 'refused'; readonly summary: string };

export interface ScriptModeOptions {
  /** True if PUNCTUAL_SCRIPTS=trusted is set. */
  readonly trustedScripts: boolean;
  /** The folder that isolated scripts must not see. */
  readonly dataFolder: string;
  /** The folders that are searched for bwrap, separated by colons. Default: PATH. */
  readonly path?: string;
}

/** The error message of the field `task` in refused mode. */
export const SCRIPTS_REFUSED =
  'must not be "script": this server cannot run scripts isolated, because bwrap is missing or does not work, nor trusted, because PUNCTUAL_SCRIPTS=trusted is not set';

const PROBE_MS = 10_000;
const CAN_SEE_DATA = 99;

export async function findScriptMode(options: ScriptModeOptions): Promise<ScriptMode> {
  if (process.platform === 'win32')
    return {
      name: 'refused',
      summary: 'Scripts are refused: they need bubblewrap or /bin/sh, and Windows has neither.',
    };
  if (options.trustedScripts) {
    const summary =
      'Scripts run as the current user, without isolation (PUNCTUAL_SCRIPTS=trusted): everybody who creates jobs has the rights of this user.';
    return { name: 'trusted', summary, launch: trusted };
  }
  const bwrap = findProgram('bwrap', (options.path ?? process.env.PATH ?? '').split(':'));
  const launch = isolated(bwrap ?? '');
  const wrong = bwrap === undefined ? 'bwrap is not in PATH' : await probe(launch, options.dataFolder);
  if (wrong === undefined) return { name: 'isolated', summary: `Scripts run isolated, by ${bwrap}.`, launch };
  const notRoot = process.getuid?.() === 0 ? ' and a user other than root' : '';
  const summary = `Scripts are refused. Isolated mode needs a working bubblewrap (${wrong}). Trusted mode, which runs them as the current user without isolation, needs PUNCTUAL_SCRIPTS=trusted${notRoot}.`;
  return { name: 'refused', summary };
}

/** Runs a test script. Undefined if it was isolated, else the reason why not. */
async function probe(launch: Launcher, dataFolder: string): Promise<string | undefined> {
  const source = `test ! -e "$1" || exit ${CAN_SEE_DATA}`;
  try {
    closeInherited();
    const args = [existsSync(dataFolder) ? realpathSync(dataFolder) : dataFolder];
    const { exitCode, endedBy, stderr } = await localScripts(launch).run(
      { language: 'shell', source, args, environment: {} },
      { signal: AbortSignal.timeout(PROBE_MS), executionId: 'probe', attempt: 1 },
    );
    if (exitCode === 0) return undefined;
    if (exitCode === CAN_SEE_DATA)
      return `scripts would see the data folder ${dataFolder}: set PUNCTUAL_DATA to a folder outside /usr`;
    return stderr?.trim() || `a first script ended with ${endedBy ?? `exit code ${exitCode}`}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const O_CLOEXEC = 0o2000000;

/** Closes the file descriptors that this process inherited, so that scripts do not inherit them. Node's own are safe. */
function closeInherited(): void {
  for (const fd of readdirSync('/proc/self/fd')
    .map(Number)
    .filter((number) => number > 2)) {
    try {
      const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
      if ((Number.parseInt(flags, 8) & O_CLOEXEC) === 0) closeSync(fd);
    } catch {
      // The descriptor was closed in the meantime, such as the one of /proc/self/fd itself.
    }
  }
}
