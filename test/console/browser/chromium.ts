// The Chromium of the browser tests: the program in PUNCTUAL_CHROMIUM, the system's, or the one of the package
// @sparticuz/chromium, which is unpacked once into a cache folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const ROOT = resolve(import.meta.dirname, '../../..');

/**
 * No sandbox, because tests may run as root. Names are not resolved, so no page reaches another host. The flags of the package
 * are not used: they turn web security off.
 */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

export interface ChromiumProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Undefined if this machine has no Chromium and the package has none for it. */
export function findChromium(): ChromiumProgram | undefined {
  const own = process.env.PUNCTUAL_CHROMIUM ?? systemChromium();
  if (own !== undefined) return { path: own, env: {} };
  return process.platform === 'linux' && process.arch === 'x64' ? unpackedProgram() : undefined;
}

/** Launches the browser with a new profile. */
export async function launchChromium(): Promise<Browser> {
  const program = findChromium();
  if (program === undefined) throw new Error('there is no Chromium for this machine');
  return chromium.launch({
    executablePath: program.path,
    args: FLAGS,
    env: { ...(process.env as Record<string, string>), ...program.env },
  });
}

function systemChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
}

/** The cache folder has the version of the package in its name, so an update is unpacked anew. */
function unpackedProgram(): ChromiumProgram {
  const folder = join(ROOT, 'node_modules/.cache', `punctual-chromium-${packageVersion()}`);
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}

function packageVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'));
  return version;
}

/**
 * Unpacks the Chromium of the package if it is needed: 211 MB. The package unpacks into the temporary folder and takes any file
 * that is there. So a child process has a new folder of its own as the temporary folder, which is renamed when it is complete.
 */
export function unpackChromium(): void {
  const program = findChromium();
  if (program === undefined || existsSync(program.path)) return;
  const folder = dirname(program.path);
  mkdirSync(dirname(folder), { recursive: true });
  const temporary = mkdtempSync(`${folder}-`);
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'unpack-chromium.ts')], {
    env: { ...process.env, TMPDIR: temporary },
    encoding: 'utf8',
  });
  if (status !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    throw new Error(`Chromium could not be unpacked:\n${stderr}`);
  }
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // another process was faster
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(program.path)) throw error;
  }
}
