// The Python virtual environments of emulators. The default one has MiniStack and the AWS CLI. They are kept in the user's cache
// folder, by the pinned versions.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

/** The user's cache folder. */
export const CACHE = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');

/** The Python of the environment. Its programs are started with `-m`, because their scripts have the path of the installation. */
export function emulatorPython(requirements = REQUIREMENTS): string {
  const cache = join(CACHE, 'punctual-test-deploy');
  const version = python(['--version']).trim();
  const key = createHash('sha256').update(readFileSync(requirements)).update(version).digest('hex');
  const folder = join(cache, key.slice(0, 16));
  if (!existsSync(folder)) install(cache, folder, requirements);
  return join(folder, 'bin/python');
}

/** An interrupted installation leaves no environment, because the folder gets its name last. */
function install(cache: string, folder: string, requirements: string): void {
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, 'unfinished-'));
  try {
    python(['-m', 'venv', unfinished]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
    execFileSync(join(unfinished, 'bin/python'), pip, { stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

function python(args: string[]): string {
  try {
    return execFileSync('python3', args, { encoding: 'utf8' });
  } catch (error) {
    throw new Error(`python3 ${args.join(' ')} failed. The emulator needs Python 3.10 or later with venv.`, {
      cause: error,
    });
  }
}
